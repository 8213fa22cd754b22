import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { builtFile } from '../../../../common/built-file.js';
import { ThreadExhausted, TimedThreads } from '../../../../common/workers/timed-threads.js';
import { SMALL_BATCH_UNITS } from '../ingest.types.js';
import type { AnalysedGroup, AnalysisGroup, AnalysisJob } from './analysis.types.js';

/** Far above what the worst batch was seen to take (about 1 s a MiB). */
const MAX_ANALYSIS_MS = 120_000;
const THREAD_HEAP_MB = 1024;

type Threads = TimedThreads<AnalysisJob, AnalysedGroup[]>;

/** The analysis ran out of time or memory: the input is the cause, not the process. */
export class AnalysisExhausted extends Error {}

/**
 * Chunking, hashing and inverting in worker threads, so that requests are answered meanwhile. An analysis cannot be
 * interrupted: a small one never waits for a thread that works on a large one.
 */
@Injectable()
export class AnalysisPool implements OnApplicationShutdown {
  private small: Threads | undefined;
  private large: Threads | undefined;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  /** @throws AnalysisExhausted after MAX_ANALYSIS_MS in a thread, or THREAD_HEAP_MB */
  async analyse(job: AnalysisJob): Promise<AnalysedGroup[]> {
    try {
      return await this.threadsFor(job.groups).run(job, MAX_ANALYSIS_MS);
    } catch (error) {
      if (!(error instanceof ThreadExhausted)) throw error;
      throw new AnalysisExhausted('The analysis ran out of time or memory', { cause: error });
    }
  }

  /** Lets running analyses end. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.small?.close(), this.large?.close()]);
  }

  /** Made when something is to be analysed: many a process never does, or has small documents alone. */
  private threadsFor(groups: readonly AnalysisGroup[]): Threads {
    if (unitsOf(groups) > SMALL_BATCH_UNITS) return (this.large ??= this.makeThreads());
    return (this.small ??= this.makeThreads());
  }

  private makeThreads(): Threads {
    const { enabled, workerThreads } = this.settings.jobs;
    return new TimedThreads({
      filename: builtFile(import.meta.url, 'analysis.worker.js'),
      minThreads: enabled ? 1 : 0,
      maxThreads: workerThreads,
      heapMb: THREAD_HEAP_MB,
    });
  }
}

function unitsOf(groups: readonly AnalysisGroup[]): number {
  return groups.reduce((sum, { documents }) => documents.reduce((all, { content }) => all + content.length, sum), 0);
}
