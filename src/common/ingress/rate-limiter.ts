import { TokenBucket } from 'limiter';
import { boundedCache, type BoundedCache } from '../caches/bounded-cache.js';

/**
 * Clients whose buckets are kept at once; beyond it the one that was quiet the longest is evicted, and begins with a
 * full bucket again.
 */
const MAX_CLIENTS = 50_000;

export interface Rate {
  /** Requests a second. */
  perSecond: number;
  /** Requests at once after a pause. */
  burst: number;
}

/** A token bucket for each client, of which a bounded number is kept. */
export class RateLimiter {
  private readonly buckets: BoundedCache<TokenBucket>;
  private readonly burst: number;

  constructor(
    private readonly rate: Rate,
    maxClients = MAX_CLIENTS,
  ) {
    this.buckets = boundedCache(maxClients);
    this.burst = Math.max(rate.burst, rate.perSecond);
  }

  /** Takes one request of a client's bucket. @returns 0, or how many seconds to wait for the next: at least 1 */
  take(client: string): number {
    const bucket = this.buckets.get(client) ?? this.fill(client);
    if (bucket.tryRemoveTokens(1)) return 0;
    return Math.max(1, Math.ceil(bucket.getWaitTime(1) / 1000));
  }

  get clients(): number {
    return this.buckets.size;
  }

  private fill(client: string): TokenBucket {
    const { perSecond } = this.rate;
    const bucket = new TokenBucket({ bucketSize: this.burst, tokensPerInterval: perSecond, interval: 'second' });
    bucket.content = this.burst;
    this.buckets.set(client, bucket);
    return bucket;
  }
}
