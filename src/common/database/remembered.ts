import { LRUCache } from 'lru-cache';
import type { Listener } from './listener.js';

/** Nothing is believed longer than this (D7). */
const BELIEVED_MS = 5_000;
const MOST = 10_000;

/**
 * Answers of the database that every process believes for seconds, and forgets at once when a NOTIFY tells that what they are about has
 * changed. While the process cannot hear, it remembers nothing.
 */
export class Remembered<V extends object> {
  private readonly values = new LRUCache<string, V>({ max: MOST, ttl: BELIEVED_MS });

  /** @param isAbout whether a notification on the channel, by its payload, is about what was remembered under a name */
  constructor(
    private readonly listener: Listener,
    private readonly channel: string,
    private readonly isAbout: (payload: string, value: V, name: string) => boolean,
  ) {
    listener.on(channel, (payload) => this.forget(payload));
    listener.onGap(() => this.values.clear());
  }

  get(name: string): V | undefined {
    return this.values.get(name);
  }

  /** Asks, and remembers the answer unless there is none. */
  async ask(name: string, question: () => Promise<V | undefined>): Promise<V | undefined> {
    // Read before the query: a change that arrives meanwhile must not be lost under an answer that is older than it.
    const epoch = this.listener.epochOf(this.channel);
    const answer = await question();
    const isStill = this.listener.listening && epoch === this.listener.epochOf(this.channel);
    if (answer && isStill) this.values.set(name, answer);
    return answer;
  }

  /** What the notification with this payload makes every process forget. */
  forget(payload: string): void {
    for (const [name, value] of this.values.entries()) if (this.isAbout(payload, value, name)) this.values.delete(name);
  }
}
