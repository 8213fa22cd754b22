import { LRUCache } from 'lru-cache';
import type { Listener } from './listener.js';

/** No entry is cached longer than this (D7). */
const CACHE_TTL_MS = 5_000;
const MOST = 10_000;

/**
 * Answers of the database, cached for seconds in every process. A NOTIFY of a change invalidates its entries at once.
 * No entry is used unless the listener was confirmed to be current within the last second.
 */
export class TtlCache<V extends object> {
  private readonly values = new LRUCache<string, V>({ max: MOST, ttl: CACHE_TTL_MS });

  /** @param isAbout whether a notification on the channel, by its payload, is about the value cached under a name */
  constructor(
    private readonly listener: Listener,
    private readonly channel: string,
    private readonly isAbout: (payload: string, value: V, name: string) => boolean,
  ) {
    listener.on(channel, (payload) => this.invalidate(payload));
    listener.onGap(() => this.values.clear());
  }

  /** undefined while the listener is not current: an invalidation may have been missed. */
  get(name: string): V | undefined {
    return this.listener.isCurrent ? this.values.get(name) : undefined;
  }

  /** Asks the database and caches the answer unless there is none. */
  async ask(name: string, question: () => Promise<V | undefined>): Promise<V | undefined> {
    // Read before the query: a change that arrives meanwhile must not be lost under an answer that is older than it.
    const epoch = this.listener.epochOf(this.channel);
    const answer = await question();
    const isStill = this.listener.isCurrent && epoch === this.listener.epochOf(this.channel);
    if (answer && isStill) this.values.set(name, answer);
    return answer;
  }

  /** Removes what a notification with this payload invalidates. */
  invalidate(payload: string): void {
    for (const [name, value] of this.values.entries()) if (this.isAbout(payload, value, name)) this.values.delete(name);
  }
}
