import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { builtFile } from '../../../../common/built-file.js';
import { ThreadExhausted, TimedThreads } from '../../../../common/workers/timed-threads.js';
import type { FileSymbols, SymbolsJob } from './symbols.types.js';

/** Far above what a batch takes; a file alone gets the second. */
const MAX_BATCH_MS = 30_000;
const MAX_FILE_MS = 10_000;
const THREAD_HEAP_MB = 1024;
/** Between two scans no thread keeps its memory. */
const IDLE_MS = 10_000;

/** Symbols are read in worker threads, so that the process goes on meanwhile, whatever a file does to a parser. */
@Injectable()
export class SymbolsPool implements OnApplicationShutdown {
  private made: TimedThreads<SymbolsJob, FileSymbols[]> | undefined;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  get threads(): number {
    return this.settings.jobs.workerThreads;
  }

  /** In the order of the paths. Where a thread runs out of time or memory, each file is tried alone. */
  async read(job: SymbolsJob): Promise<FileSymbols[]> {
    try {
      return await this.run(job, MAX_BATCH_MS);
    } catch (error) {
      if (!(error instanceof ThreadExhausted)) throw error;
    }
    const read: FileSymbols[] = [];
    for (const path of job.paths) read.push(await this.readAlone(job.root, path));
    return read;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.made?.destroy();
  }

  private async readAlone(root: string, path: string): Promise<FileSymbols> {
    try {
      return (await this.run({ root, paths: [path] }, MAX_FILE_MS))[0]!;
    } catch (error) {
      if (!(error instanceof ThreadExhausted)) throw error;
      return { path, symbols: [], problem: 'not_parsed' };
    }
  }

  private run(job: SymbolsJob, maxMs: number): Promise<FileSymbols[]> {
    this.made ??= new TimedThreads({
      filename: builtFile(import.meta.url, 'symbols.worker.js'),
      minThreads: 0,
      maxThreads: this.threads,
      idleTimeout: IDLE_MS,
      heapMb: THREAD_HEAP_MB,
    });
    return this.made.run(job, maxMs);
  }
}
