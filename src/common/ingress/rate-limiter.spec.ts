import { describe, expect, it } from 'vitest';
import { RateLimiter } from './rate-limiter.js';

const taken = (limiter: RateLimiter, client: string, times: number): number =>
  Array.from({ length: times }, () => limiter.take(client)).filter((wait) => wait === 0).length;

describe('the rate limiter', () => {
  it('lets a burst through, then says how long to wait', () => {
    const limiter = new RateLimiter({ perSecond: 1, burst: 5 });
    expect(taken(limiter, 'a', 5)).toBe(5);
    expect(limiter.take('a')).toBe(1);
    expect(limiter.take('b')).toBe(0);
  });

  it('takes a burst below the rate for the rate', () => {
    expect(taken(new RateLimiter({ perSecond: 20, burst: 1 }), 'a', 20)).toBe(20);
  });

  it('keeps no more clients than it may', () => {
    const limiter = new RateLimiter({ perSecond: 1, burst: 1 }, 100);
    for (let client = 0; client < 10_000; client += 1) limiter.take(String(client));
    expect(limiter.clients).toBe(100);
    expect(limiter.take('9999')).toBe(1);
    expect(limiter.take('0')).toBe(0);
  });
});
