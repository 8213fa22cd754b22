import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { FairQueue } from './fair-queue.js';

/** The input of work in a thread is the cause, not the process: its time was up, or the heap of its thread was full. */
export class ThreadExhausted extends Error {
  override readonly name = 'ThreadExhausted';

  constructor(
    readonly lacking: 'time' | 'memory',
    cause: unknown,
  ) {
    super(`A thread ran out of ${lacking}`, { cause });
  }
}

export interface ThreadSettings {
  /** What a thread runs, as `builtFile` gives it. */
  readonly filename: string;
  readonly minThreads?: number;
  readonly maxThreads: number;
  readonly idleTimeout?: number;
  readonly heapMb: number;
}

type Run<Task, Result> = (task: Task, maxMs: number) => Promise<Result>;

/**
 * Threads for work whose time is bounded. No more is handed to them than they do at once, so that the time for which
 * work waits is not taken for the time that it takes. A thread that overruns is ended, and replaced.
 */
export class TimedThreads<Task, Result> {
  private readonly turns: FairQueue;
  private made: Piscina<Task, Result> | undefined;

  constructor(private readonly settings: ThreadSettings) {
    this.turns = new FairQueue({ atOnce: settings.maxThreads });
  }

  /** Those that there are now. */
  get workers(): readonly Worker[] {
    return this.made?.threads ?? [];
  }

  /** @throws ThreadExhausted after `maxMs` in a thread, or where the thread's heap is full */
  run(task: Task, maxMs: number): Promise<Result> {
    return this.whenFree('', (run) => run(task, maxMs));
  }

  /**
   * Begins what leads up to a task once a thread is free for it; none is taken from it meanwhile.
   * @param client by which turns are taken
   */
  whenFree<T>(client: string, work: (run: Run<Task, Result>) => Promise<T>): Promise<T> {
    return this.turns.run(client, 0, () => work((task, maxMs) => this.runNow(task, maxMs)));
  }

  /** Lets running work end. */
  async close(): Promise<void> {
    await this.made?.close();
  }

  /** Ends running work. */
  async destroy(): Promise<void> {
    await this.made?.destroy();
  }

  private async runNow(task: Task, maxMs: number): Promise<Result> {
    const signal = AbortSignal.timeout(maxMs);
    try {
      return await this.threads().run(task, { signal });
    } catch (error) {
      if (signal.aborted) throw new ThreadExhausted('time', error);
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
        throw new ThreadExhausted('memory', error);
      throw error;
    }
  }

  /** Made when there is work: many a process never has any. */
  private threads(): Piscina<Task, Result> {
    const { heapMb, ...settings } = this.settings;
    return (this.made ??= new Piscina({ ...settings, resourceLimits: { maxOldGenerationSizeMb: heapMb } }));
  }
}
