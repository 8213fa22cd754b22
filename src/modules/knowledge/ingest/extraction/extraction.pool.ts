import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Piscina } from 'piscina';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { builtFile } from '../../../../common/built-file.js';
import type { ExtractionOutcome, SentFile } from './extraction.types.js';

/** Far above what the largest files of the suite take. */
const MAX_EXTRACTION_MS = 60_000;
const THREAD_HEAP_MB = 512;
/** Outside the heap, which V8 does not bound: what buffers take, a decompressed stream for one. */
const MAX_EXTERNAL_BYTES = 512 * 1024 * 1024;
const LOOK_EVERY_MS = 100;

const EXHAUSTED: ExtractionOutcome = {
  reason: `The file took more than ${MAX_EXTRACTION_MS / 1000} seconds or ${THREAD_HEAP_MB} MB of memory to read. Divide it, or save it as another kind.`,
};

/**
 * Reads files in worker threads of its own, so that a file which takes all of a thread's time or memory takes neither
 * from requests nor from documents that are analysed. A thread that overruns is ended, and replaced.
 */
@Injectable()
export class ExtractionPool implements OnApplicationShutdown {
  private threads: Piscina<SentFile, ExtractionOutcome> | undefined;
  private running = 0;
  private watch: NodeJS.Timeout | undefined;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  async extract(file: SentFile): Promise<ExtractionOutcome> {
    this.threads ??= this.makeThreads();
    this.begin();
    try {
      return await this.threads.run(file, { signal: AbortSignal.timeout(MAX_EXTRACTION_MS) });
    } catch (error) {
      if (isExhaustion(error as NodeJS.ErrnoException)) return EXHAUSTED;
      throw error;
    } finally {
      this.end();
    }
  }

  /** Lets running extractions end. */
  async onApplicationShutdown(): Promise<void> {
    await this.threads?.close();
  }

  private begin(): void {
    this.running += 1;
    this.watch ??= setInterval(() => this.endGreedy(), LOOK_EVERY_MS).unref();
  }

  private end(): void {
    this.running -= 1;
    if (this.running > 0) return;
    clearInterval(this.watch);
    this.watch = undefined;
  }

  private endGreedy(): void {
    for (const thread of this.threads?.threads ?? []) {
      void thread.getHeapStatistics().then(
        ({ external_memory: external }) => (external > MAX_EXTERNAL_BYTES ? thread.terminate() : undefined),
        // It has ended meanwhile.
        () => undefined,
      );
    }
  }

  private makeThreads(): Piscina<SentFile, ExtractionOutcome> {
    return new Piscina({
      filename: builtFile(import.meta.url, 'extraction.worker.js'),
      minThreads: 0,
      maxThreads: this.settings.jobs.workerThreads,
      idleTimeout: 10_000,
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
    });
  }
}

/** Its time was up, its heap was full, or it was ended for what it held outside. */
const isExhaustion = ({ name, code, message }: NodeJS.ErrnoException): boolean =>
  name === 'AbortError' ||
  name === 'TimeoutError' ||
  code === 'ERR_WORKER_OUT_OF_MEMORY' ||
  message.startsWith('worker exited');
