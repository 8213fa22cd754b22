import { isReading } from './reading.js';

/** Of so many connections a third, one at least, is kept for reads; a single one is shared. */
export const placesForWrites = (poolSize: number): number =>
  Math.max(1, poolSize - Math.max(1, Math.floor(poolSize / 3)));

/** While places become free, a write waits so many times as long as it would for one that is not given up. */
const TIMEOUTS_WAITED = 5;

/**
 * Bounds the connections that writes may hold. A commit waits for as long as a synchronous standby is away, and keeps
 * its connection meanwhile: without a bound a few seconds of writes would leave none for reads.
 */
export class WriteLimit {
  private inside = 0;
  /** Places that each party has, and those of it that wait for one, by its name. */
  private readonly held = new Map<string, number>();
  private readonly waiting = new Map<string, (() => void)[]>();
  /** When a place last became free, by performance.now(). */
  private movedAt = 0;

  /**
   * @param timeoutMs how long a write waits while no place becomes free at all, in milliseconds. Where they do, it only
   * waits its turn: behind writes of its tenant, say, that wait for each other.
   */
  constructor(
    private readonly max: number,
    private readonly timeoutMs: number,
  ) {}

  /**
   * @param party the tenant: where places are short, one that has few of them goes before one that has many
   * @throws Error, which is answered with 503, when no place became free in time
   */
  async run<T>(work: () => Promise<T>, party = ''): Promise<T> {
    if (isReading()) return work();
    if (this.inside >= this.max) await this.wait(party);
    else {
      this.inside += 1;
      this.hold(party);
    }
    try {
      return await work();
    } finally {
      this.leave(party);
    }
  }

  private hold(party: string): void {
    this.held.set(party, this.placesOf(party) + 1);
  }

  private placesOf(party: string): number {
    return this.held.get(party) ?? 0;
  }

  /** The place of a write that ends goes to the one that has waited longest of the party with the fewest places. */
  private leave(party: string): void {
    this.movedAt = performance.now();
    const left = this.placesOf(party) - 1;
    if (left > 0) this.held.set(party, left);
    else this.held.delete(party);
    let next: string | undefined;
    for (const one of this.waiting.keys())
      if (next === undefined || this.placesOf(one) < this.placesOf(next)) next = one;
    if (next === undefined) {
      this.inside -= 1;
      return;
    }
    this.hold(next);
    this.takeWaiting(next)();
  }

  private takeWaiting(party: string): () => void {
    const all = this.waiting.get(party)!;
    const first = all.shift()!;
    this.waiting.delete(party);
    // Behind those that have as few places.
    if (all.length > 0) this.waiting.set(party, all);
    return first;
  }

  private wait(party: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const began = performance.now();
      const look = (): void => {
        const until = Math.min(this.movedAt + this.timeoutMs, began + TIMEOUTS_WAITED * this.timeoutMs);
        const left = until - performance.now();
        if (left > 0) timer = setTimeout(look, left);
        else this.giveUp(party, enter, reject);
      };
      let timer = setTimeout(look, this.timeoutMs);
      const all = this.waiting.get(party);
      if (all) all.push(enter);
      else this.waiting.set(party, [enter]);
    });
  }

  private giveUp(party: string, enter: () => void, reject: (error: Error) => void): void {
    const all = this.waiting.get(party)!;
    all.splice(all.indexOf(enter), 1);
    if (all.length === 0) this.waiting.delete(party);
    reject(new Error(`timeout exceeded when trying to connect: ${this.max} writes wait for their commits`));
  }
}
