import { describe, expect, it } from 'vitest';
import { retryAfterMs } from './retry-after.js';

describe('retryAfterMs', () => {
  const now = Date.parse('2026-11-30T06:00:00Z');

  it.each([
    ['2', 2000],
    ['0', 0],
    ['Mon, 30 Nov 2026 06:00:07 GMT', 7000],
    ['Mon, 30 Nov 2026 05:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
  ])('reads %s', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });
});
