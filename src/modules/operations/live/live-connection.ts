import type { ServerResponse } from 'node:http';
import type { EventPosition, StoredEvent } from '../../events/outbox/outbox.types.js';
import { isAfter, messageOf } from './live.rules.js';

/** Heartbeats that found the buffer full before the other end counts as gone. */
const MAX_UNREAD = 2;
/** Milliseconds after which a client whose connection ended connects again. */
const RETRY_MS = 3_000;

/** Who follows: a principal in a tenant. */
export interface Follower {
  tenantId: string;
  principal: string;
}

/** Which events a stream is for. */
export type Wanted = (event: StoredEvent) => boolean;

/** One open event stream: how far it has come, and whether its other end still reads. */
export class LiveConnection {
  private unread = 0;

  /** @param seen the last place that its client knows; @param isWanted every event, unless said otherwise */
  constructor(
    private readonly raw: ServerResponse,
    readonly of: Follower,
    public seen: EventPosition,
    private readonly isWanted: Wanted = () => true,
  ) {}

  /** The comment makes proxies that wait for a first byte pass the head on. */
  begin(): void {
    this.raw.write(`: svc events\nretry: ${RETRY_MS}\n\n`);
  }

  /** Sends what it is for of what comes after the place it has come to; the rest it knows. */
  send(events: readonly StoredEvent[]): void {
    const fresh = events.filter((event) => isAfter(event, this.seen));
    const last = fresh.at(-1);
    if (!last || this.isGone) return;
    this.seen = last;
    const wanted = fresh.filter(this.isWanted);
    if (wanted.length > 0) this.raw.write(wanted.map(messageOf).join(''));
  }

  /** The other end takes no more just now: what is written would be kept in memory. */
  get isBlocked(): boolean {
    return this.raw.writableNeedDrain;
  }

  get isGone(): boolean {
    return this.raw.destroyed || this.raw.writableEnded;
  }

  /** Resolves when the buffer has space again, or the connection has ended. */
  drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = (): void => {
      this.raw.off('drain', done).off('close', done);
      resolve();
    };
    this.raw.once('drain', done).once('close', done);
    return promise;
  }

  /** A comment that keeps the connection alive on its way; a client that reads nothing for some of them is cut off. */
  beat(): void {
    if (!this.isBlocked) {
      this.unread = 0;
      if (!this.isGone) this.raw.write(': heartbeat\n\n');
      return;
    }
    this.unread += 1;
    if (this.unread >= MAX_UNREAD) this.raw.destroy();
  }

  /** Says why, and ends it; a client comes back by itself. */
  end(reason: string): void {
    if (this.isGone) return;
    this.raw.end(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`);
  }
}
