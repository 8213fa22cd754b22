import { boundedCache } from '../caches/bounded-cache.js';
import type { Listener } from './listener.js';

/** No entry is cached longer than this (D7). */
const CACHE_TTL_MS = 5_000;
const MAX_ENTRIES = 10_000;

type IsAbout<V> = (payload: string, value: V, name: string) => boolean;

/**
 * Answers of the database, cached for seconds in every process. A NOTIFY of a change invalidates its entries at once.
 * No entry is used unless the listener was confirmed to be current within the last second.
 */
export class TtlCache<V extends object> {
  private readonly values = boundedCache<V>(MAX_ENTRIES, CACHE_TTL_MS);

  private readonly channels: readonly string[];

  /** @param isAbout whether a notification on the channel, by its payload, is about the value cached under a name */
  constructor(
    private readonly listener: Listener,
    channel: string,
    private readonly isAbout: IsAbout<V>,
    /** Further channels, with what their notifications are about. */
    others: Record<string, IsAbout<V>> = {},
  ) {
    this.channels = [channel, ...Object.keys(others)];
    listener.on(channel, (payload) => this.invalidate(payload));
    for (const [other, isAboutIt] of Object.entries(others))
      listener.on(other, (payload) => this.remove(payload, isAboutIt));
    listener.onGap(() => this.values.clear());
  }

  /** undefined while the listener is not current: an invalidation may have been missed. */
  get(name: string): V | undefined {
    return this.listener.isCurrent ? this.values.get(name) : undefined;
  }

  /** Asks the database and caches the answer unless there is none. */
  async ask(name: string, question: () => Promise<V | undefined>): Promise<V | undefined> {
    // Read before the query: a change that arrives meanwhile must not be lost under an answer that is older than it.
    const epoch = this.epoch;
    const answer = await question();
    const isStill = this.listener.isCurrent && epoch === this.epoch;
    if (answer && isStill) this.values.set(name, answer);
    return answer;
  }

  /** Removes what a notification with this payload invalidates. */
  invalidate(payload: string): void {
    this.remove(payload, this.isAbout);
  }

  private remove(payload: string, isAbout: IsAbout<V>): void {
    for (const [name, value] of this.values.entries()) if (isAbout(payload, value, name)) this.values.delete(name);
  }

  private get epoch(): string {
    return this.channels.map((channel) => this.listener.epochOf(channel)).join(' ');
  }
}
