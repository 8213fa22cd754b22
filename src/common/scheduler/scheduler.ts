import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { isDatabaseUnavailable } from '../database/unavailable.js';
import { LOG, type Log } from '../observability/log.js';

/** Scheduled work of the process, as GET /v1/version of the daemon reports it. */
export interface WorkState {
  name: string;
  state: 'waiting' | 'running' | 'failing' | 'stopped';
  /** Time between two runs. */
  everyMs: number;
  /** When it last ended without an error. */
  lastRunAt: Date | null;
}

/** The timed work of a process: each kind runs alone, never twice at once, and ends with the process. */
@Injectable()
export class Scheduler implements OnModuleDestroy {
  private readonly own: Timed[] = [];
  private readonly watched: (() => WorkState)[] = [];

  constructor(@Inject(LOG) private readonly log: Log) {}

  /** Runs `work` now and every so many milliseconds. An error is logged, and the next run is on time. */
  every(name: string, everyMs: number, work: () => Promise<unknown>): void {
    this.own.push(new Timed(name, everyMs, work, this.log));
  }

  /** Reports work that has a timer of its own. */
  watch(read: () => WorkState): void {
    this.watched.push(read);
  }

  list(): WorkState[] {
    const all = [...this.own.map((timed) => timed.state), ...this.watched.map((read) => read())];
    return all.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.own.map((timed) => timed.stop()));
  }
}

class Timed {
  private readonly timer: NodeJS.Timeout;
  private running: Promise<void> | undefined;
  private lastRunAt: Date | null = null;
  private failing = false;
  private stopped = false;

  constructor(
    private readonly name: string,
    private readonly everyMs: number,
    private readonly work: () => Promise<unknown>,
    private readonly log: Log,
  ) {
    this.timer = setInterval(() => this.start(), everyMs).unref();
    this.start();
  }

  get state(): WorkState {
    const { name, everyMs, lastRunAt, stopped, running, failing } = this;
    return {
      name,
      state: stopped ? 'stopped' : running ? 'running' : failing ? 'failing' : 'waiting',
      everyMs,
      lastRunAt,
    };
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.running;
  }

  private start(): void {
    this.running ??= this.run().finally(() => {
      this.running = undefined;
    });
  }

  private async run(): Promise<void> {
    try {
      await this.work();
      this.lastRunAt = new Date();
      this.failing = false;
    } catch (error) {
      // Logged once, not at every run; readiness reports a database that is away.
      if (!this.failing && !isDatabaseUnavailable(error)) this.log.error({ error, work: this.name }, 'work failed');
      this.failing = true;
    }
  }
}
