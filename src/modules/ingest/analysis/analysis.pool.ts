import { fileURLToPath } from 'node:url';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Piscina } from 'piscina';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import type { AnalysedGroup, AnalysisGroup } from './analysis.types.js';

/** Far above what the worst batch was seen to take (3 s for 4 MiB of hostile Markdown). */
const LONGEST_ANALYSIS_MS = 120_000;
const THREAD_HEAP_MB = 1024;

/** The analysis ran out of time or memory: a fault of what was analysed. */
export class AnalysisExhausted extends Error {}

/** Chunking, hashing and inverting in worker threads, so that requests are answered meanwhile. */
@Injectable()
export class AnalysisPool implements OnApplicationShutdown {
  private made: Piscina<readonly AnalysisGroup[], AnalysedGroup[]> | undefined;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /** @throws AnalysisExhausted after LONGEST_ANALYSIS_MS or THREAD_HEAP_MB; the thread is replaced */
  async analyse(groups: readonly AnalysisGroup[]): Promise<AnalysedGroup[]> {
    try {
      return await this.threads.run(groups, { signal: AbortSignal.timeout(LONGEST_ANALYSIS_MS) });
    } catch (error) {
      const { name, code } = error as NodeJS.ErrnoException;
      const exhausted = name === 'AbortError' || name === 'TimeoutError' || code === 'ERR_WORKER_OUT_OF_MEMORY';
      throw exhausted ? new AnalysisExhausted('The analysis ran out of time or memory', { cause: error }) : error;
    }
  }

  /** Lets running analyses end. */
  async onApplicationShutdown(): Promise<void> {
    await this.made?.close();
  }

  /** Made when something is to be analysed: many a process never does. */
  private get threads() {
    const { enabled, workerThreads } = this.settings.jobs;
    this.made ??= new Piscina({
      filename: workerFile(),
      minThreads: enabled ? 1 : 0,
      maxThreads: workerThreads,
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
    });
    return this.made;
  }
}

/** The compiled worker; when this module itself runs from TypeScript, as in the tests, the one of the last build. */
function workerFile(): string {
  const here = fileURLToPath(new URL('./analysis.worker.js', import.meta.url));
  return import.meta.url.endsWith('.ts') ? here.replace(/([\\/])src([\\/]modules[\\/]ingest[\\/])/, '$1dist$2') : here;
}
