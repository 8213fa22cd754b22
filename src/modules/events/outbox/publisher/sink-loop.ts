import { isDatabaseUnavailable } from '../../../../common/database/unavailable.js';
import type { Log } from '../../../../common/observability/log.js';
import { FALLBACK_MS } from '../../../../common/scheduler/due-work.js';
import { lockToCopyIn } from '../../../../common/tenancy/copied-texts.js';
import type { CrossTenant } from '../../../../common/tenancy/cross-tenant.js';
import type { EventSink } from '../outbox.types.js';
import { CursorsStore } from './cursors.store.js';

/**
 * An older transaction keeps events back; there is no notification of its end. Polled with growing delays, up to the
 * greatest.
 */
const HELD_BACK_MS = 50;
const MAX_HELD_BACK_MS = 1_000;
const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 5_000;

/** Brings events to one sink, for as long as the process lives and no other process is at it. */
export class SinkLoop {
  private running: Promise<void> = Promise.resolve();
  private interrupt: (() => void) | undefined;
  private woken = false;
  private closed = false;
  private failures = 0;
  private timesHeldBack = 0;
  private isRebased = false;

  constructor(
    readonly sink: EventSink,
    private readonly crossTenant: CrossTenant,
    private readonly log: Log,
    private readonly published: (count: number) => void,
  ) {}

  start(): void {
    this.running = this.run();
  }

  /** While the sink fails its pauses are kept: a notification says nothing about the sink. */
  wake(): void {
    this.woken = true;
    if (this.failures === 0) this.interrupt?.();
  }

  /** Waits for the step in progress. */
  async stop(): Promise<void> {
    this.closed = true;
    this.interrupt?.();
    await this.running;
    await this.sink.close?.();
  }

  private async run(): Promise<void> {
    await this.pause(0);
    while (!this.closed) {
      this.woken = false;
      const pause = await this.step().catch((error: unknown) => this.fail(error));
      // Stopped while it worked, it has nobody left to end its pause.
      if (!this.closed && pause > 0 && (this.failures > 0 || !this.woken)) await this.pause(pause);
    }
  }

  /** @returns how long to wait before the next step */
  private async step(): Promise<number> {
    const { sink } = this;
    await sink.prepare?.();
    const { count, isMoved, isHeldBack } = await this.crossTenant.run('publish events', async (query) => {
      const cursors = new CursorsStore(query);
      if (!(await cursors.tryServe(sink.name))) return { count: 0, isMoved: false, isHeldBack: false };
      if (!this.isRebased) await cursors.rebaseWhenRestored();
      const cursor = await cursors.read(sink.name);
      // A step that makes the cursor does nothing else: one that publishes must hold no transaction id, which would
      // keep events back.
      if (!cursor) await cursors.make(sink.name);
      const last = cursor && (await cursors.findNext(cursor, sink.batch));
      if (!last) return { count: 0, isMoved: false, isHeldBack: !cursor || (await cursors.isHeldBack()) };
      if (sink.copiesText) await lockToCopyIn(query, await cursors.tenantsTo(cursor, last, sink.tenants));
      const events = await cursors.readTo(cursor, last, sink.tenants);
      const count = events.length === 0 ? 0 : await sink.publish(events, query);
      if (count === 0) await cursors.passOver(sink.name, last);
      else await cursors.move(sink.name, count < events.length ? events[count - 1]! : last);
      return { count, isMoved: true, isHeldBack: false };
    });
    if (this.failures > 0) this.log.info({ sink: sink.name }, 'events are published again');
    this.failures = 0;
    this.isRebased = true;
    this.timesHeldBack = isHeldBack ? this.timesHeldBack + 1 : 0;
    if (!isMoved)
      return isHeldBack ? Math.min(HELD_BACK_MS * 2 ** (this.timesHeldBack - 1), MAX_HELD_BACK_MS) : FALLBACK_MS;
    if (count > 0) {
      this.published(count);
      sink.settled?.();
    }
    return 0;
  }

  private fail(error: unknown): number {
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** this.failures, MAX_PAUSE_MS);
    this.failures += 1;
    if (this.failures === 1 && !isDatabaseUnavailable(error)) {
      this.log.warn({ sink: this.sink.name, error }, 'events could not be published; trying again');
    }
    return pause;
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.interrupt = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
