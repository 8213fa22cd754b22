import { isReading } from './reading.js';

/** Of so many connections a third, one at least, is kept for reads; a single one is shared. */
export const placesForWrites = (poolSize: number): number =>
  Math.max(1, poolSize - Math.max(1, Math.floor(poolSize / 3)));

/**
 * Bounds the connections that writes may hold. A commit waits for as long as a synchronous standby is away, and keeps
 * its connection meanwhile: without a bound a few seconds of writes would leave none for reads.
 */
export class WriteLimit {
  private inside = 0;
  private readonly waiting: (() => void)[] = [];

  /** @param timeoutMs how long a write waits for its place, in milliseconds */
  constructor(
    private readonly max: number,
    private readonly timeoutMs: number,
  ) {}

  /** @throws Error, which is answered with 503, when no place became free in time */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (isReading()) return work();
    if (this.inside >= this.max) await this.wait();
    else this.inside += 1;
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  /** The place of a write that ends goes to the one that has waited longest. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.inside -= 1;
  }

  private wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(enter), 1);
        reject(new Error(`timeout exceeded when trying to connect: ${this.max} writes wait for their commits`));
      }, this.timeoutMs);
      this.waiting.push(enter);
    });
  }
}
