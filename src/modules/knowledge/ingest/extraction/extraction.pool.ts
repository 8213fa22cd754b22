import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { builtFile } from '../../../../common/built-file.js';
import { ThreadExhausted, TimedThreads } from '../../../../common/workers/timed-threads.js';
import type { ExtractionOutcome, SentFile } from './extraction.types.js';

/** Far above what the largest files of the suite take. */
const MAX_EXTRACTION_MS = 60_000;
const THREAD_HEAP_MB = 512;
/** Outside the heap, which V8 does not bound: what buffers take, a decompressed stream for one. */
const MAX_EXTERNAL_BYTES = 512 * 1024 * 1024;
const LOOK_EVERY_MS = 100;

type Extract = (file: SentFile) => Promise<ExtractionOutcome>;

const EXHAUSTED: ExtractionOutcome = {
  reason: `The file took more than ${MAX_EXTRACTION_MS / 1000} seconds or ${THREAD_HEAP_MB} MB of memory to read. Divide it, or save it as another kind.`,
};

/**
 * Reads files in worker threads of its own, so that a file which takes all of a thread's time or memory takes neither
 * from requests nor from documents that are analysed. A thread that overruns is ended, and replaced.
 */
@Injectable()
export class ExtractionPool implements OnApplicationShutdown {
  private readonly threads: TimedThreads<SentFile, ExtractionOutcome>;
  private running = 0;
  private watch: NodeJS.Timeout | undefined;

  constructor(@Inject(SETTINGS) { jobs }: Settings) {
    this.threads = new TimedThreads({
      filename: builtFile(import.meta.url, 'extraction.worker.js'),
      minThreads: 0,
      maxThreads: jobs.workerThreads,
      idleTimeout: 10_000,
      heapMb: THREAD_HEAP_MB,
    });
  }

  /**
   * Begins what leads up to the reading of a file once a thread is free for it.
   * @param tenantId by which turns are taken
   */
  whenFree<T>(tenantId: string, work: (extract: Extract) => Promise<T>): Promise<T> {
    return this.threads.whenFree(tenantId, (run) => work((file) => this.extract(() => run(file, MAX_EXTRACTION_MS))));
  }

  /** Lets running extractions end. */
  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
  }

  private async extract(run: () => Promise<ExtractionOutcome>): Promise<ExtractionOutcome> {
    this.begin();
    try {
      return await run();
    } catch (error) {
      // Or the thread was ended for what it held outside.
      if (error instanceof ThreadExhausted || (error as Error).message.startsWith('worker exited')) return EXHAUSTED;
      throw error;
    } finally {
      this.end();
    }
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
    for (const thread of this.threads.workers) {
      void thread.getHeapStatistics().then(
        ({ external_memory: external }) => (external > MAX_EXTERNAL_BYTES ? thread.terminate() : undefined),
        // It has ended meanwhile.
        () => undefined,
      );
    }
  }
}
