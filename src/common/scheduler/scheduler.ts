import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { isDatabaseUnavailable } from '../database/unavailable.js';
import { LOG, type Log } from '../observability/log.js';

/** Scheduled work of the process, as GET /v1/version of the daemon reports it. */
export interface ScheduledState {
  name: string;
  state: 'waiting' | 'running' | 'failing' | 'stopped';
  /** Time between two runs. */
  everyMs: number;
  /** When it last ended without an error. */
  lastRunAt: Date | null;
}

/** Timed work, as its owner holds it. */
export interface ScheduledWork {
  readonly isStopped: boolean;
  /** Runs the work now or, while it runs, once more after; a stopped one stays stopped. */
  wake(): void;
  /** Ends the work; resolves when it does not run any more. */
  stop(): Promise<void>;
}

export interface ScheduleOptions {
  /** The owner stops it: it goes on while the last requests are answered. */
  isStoppedByOwner?: boolean;
}

/** The timed work of a process: each kind runs alone, never twice at once, and ends with the process. */
@Injectable()
export class Scheduler implements OnModuleDestroy {
  private readonly works: Timed[] = [];

  constructor(@Inject(LOG) private readonly log: Log) {}

  /** Runs `work` now and every so many milliseconds. An error is logged, and the next run is on time. */
  every(
    name: string,
    everyMs: number,
    work: () => unknown,
    { isStoppedByOwner = false }: ScheduleOptions = {},
  ): ScheduledWork {
    const timed = new Timed({ name, everyMs, work, isStoppedByOwner }, this.log);
    this.works.push(timed);
    return timed;
  }

  list(): ScheduledState[] {
    return this.works.map((timed) => timed.state).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async onModuleDestroy(): Promise<void> {
    const ending = this.works.filter(({ schedule }) => !schedule.isStoppedByOwner);
    await Promise.all(ending.map((timed) => timed.stop()));
  }
}

interface Schedule {
  name: string;
  everyMs: number;
  work: () => unknown;
  isStoppedByOwner: boolean;
}

class Timed implements ScheduledWork {
  private readonly timer: NodeJS.Timeout;
  private running: Promise<void> | undefined;
  private lastRunAt: Date | null = null;
  private failing = false;
  private isDueAgain = false;
  isStopped = false;

  constructor(
    readonly schedule: Schedule,
    private readonly log: Log,
  ) {
    this.timer = setInterval(() => {
      if (!this.running) this.wake();
    }, schedule.everyMs).unref();
    this.wake();
  }

  get state(): ScheduledState {
    const { lastRunAt, isStopped, running, failing } = this;
    const { name, everyMs } = this.schedule;
    return {
      name,
      state: isStopped ? 'stopped' : running ? 'running' : failing ? 'failing' : 'waiting',
      everyMs,
      lastRunAt,
    };
  }

  wake(): void {
    this.isDueAgain = this.running !== undefined;
    if (this.isDueAgain || this.isStopped) return;
    this.running = this.run().finally(() => {
      this.running = undefined;
      if (this.isDueAgain) this.wake();
    });
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.running;
  }

  private async run(): Promise<void> {
    const { name, work } = this.schedule;
    try {
      await work();
      this.lastRunAt = new Date();
      this.failing = false;
    } catch (error) {
      // Logged once, not at every run; readiness reports a database that is away.
      if (!this.failing && !isDatabaseUnavailable(error)) this.log.error({ error, work: name }, 'work failed');
      this.failing = true;
    }
  }
}
