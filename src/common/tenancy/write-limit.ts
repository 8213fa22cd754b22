import { FairQueue, QueueFull } from '../workers/fair-queue.js';
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
  private readonly places: FairQueue;

  /**
   * @param timeoutMs how long a write waits while no place becomes free at all, in milliseconds. Where they do, it only
   * waits its turn: behind writes of its tenant, say, that wait for each other.
   */
  constructor(
    private readonly max: number,
    timeoutMs: number,
  ) {
    this.places = new FairQueue({ atOnce: max, waitMs: timeoutMs, timeouts: TIMEOUTS_WAITED });
  }

  /**
   * @param party the tenant: where places are short, one that has few of them goes before one that has many
   * @throws Error, which is answered with 503, when no place became free in time
   */
  async run<T>(work: () => Promise<T>, party = ''): Promise<T> {
    if (isReading()) return work();
    let hasPlace = false;
    try {
      return await this.places.run(party, 0, () => {
        hasPlace = true;
        return work();
      });
    } catch (error) {
      if (hasPlace || !(error instanceof QueueFull)) throw error;
      throw new Error(`timeout exceeded when trying to connect: ${this.max} writes wait for their commits`);
    }
  }
}
