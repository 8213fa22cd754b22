import type { EventPosition, StoredEvent } from '../../events/outbox/outbox.types.js';
import type { LiveConnection } from './live-connection.js';
import { isAfter } from './live.rules.js';

/** Events that are read at once. */
const BATCH = 500;

/** The next events of one tenant after a place. */
export type ReadEvents = (after: EventPosition, limit: number) => Promise<StoredEvent[]>;

/**
 * Follows the outbox of one tenant for all streams that are open on it: what is new is read once and sent to each. A
 * stream that comes later, or whose client reads slowly, reads by itself until it has caught up with the others.
 */
export class TenantFollower {
  /** All that joined and have not left, whether they have caught up or not. */
  private readonly joined = new Set<LiveConnection>();
  private readonly current = new Set<LiveConnection>();
  private following: Promise<void> | undefined;
  private isStale = false;

  /** @param reached where the first of its streams begins */
  constructor(
    private readonly read: ReadEvents,
    private reached: EventPosition,
  ) {}

  get isIdle(): boolean {
    return this.joined.size === 0;
  }

  /**
   * Reads for the connection alone until it is where the others are, and takes it in. Ends early when its client has
   * gone: it left while it was waited for, and would never leave again.
   */
  async join(connection: LiveConnection): Promise<void> {
    this.joined.add(connection);
    for (;;) {
      if (connection.isBlocked) await connection.drained();
      if (connection.isGone) return;
      const events = await this.read(connection.seen, BATCH);
      if (connection.isGone) return;
      connection.send(events);
      // What was read last is as new as anything the others were sent, unless they were sent more meanwhile; that is
      // read by another round, or was swept.
      if (events.length === 0 || (events.length < BATCH && !isAfter(this.reached, connection.seen))) break;
    }
    this.current.add(connection);
  }

  leave(connection: LiveConnection): void {
    this.joined.delete(connection);
    this.current.delete(connection);
  }

  /** Something may be new. Calls that arrive while one is in progress are one more round of it. */
  async wake(): Promise<void> {
    this.isStale = true;
    this.following ??= this.follow().finally(() => (this.following = undefined));
    await this.following;
  }

  private async follow(): Promise<void> {
    while (this.isStale && this.current.size > 0) {
      this.isStale = false;
      const events = await this.read(this.reached, BATCH);
      const last = events.at(-1);
      if (!last) continue;
      this.reached = last;
      if (events.length === BATCH) this.isStale = true;
      for (const connection of this.current) this.pass(connection, events);
    }
  }

  private pass(connection: LiveConnection, events: StoredEvent[]): void {
    if (!connection.isBlocked) return connection.send(events);
    this.current.delete(connection);
    // A failed read ends the stream: its client comes back with the last id it saw.
    this.join(connection).catch(() => connection.end('unavailable'));
  }
}
