import { describe, expect, it } from 'vitest';
import { retryDelay } from './retry.rules.js';

describe('retries', () => {
  it('wait longer each time, a fifth more or less, and end', () => {
    expect([1, 2, 3].map((attempt) => retryDelay([5, 30], attempt, 0.5))).toEqual([5000, 30_000, undefined]);
    expect([0, 1].map((random) => retryDelay([5], 1, random))).toEqual([4000, 6000]);
  });
});
