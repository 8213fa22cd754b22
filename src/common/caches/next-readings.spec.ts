import { describe, expect, it } from 'vitest';
import { NextReadings } from './next-readings.js';

/** Readings of a number, each of which ends when it is said so. */
class Readings {
  now = 0;
  count = 0;
  readonly ends: (() => void)[] = [];
  private readonly readings = new NextReadings<number>();

  next = (name = 'a'): Promise<number> =>
    this.readings.next(name, async () => {
      this.count += 1;
      const seen = this.now;
      await new Promise<void>((resolve) => this.ends.push(resolve));
      if (seen < 0) throw new Error('broken');
      return seen;
    });
}

describe('a reading', () => {
  it('is shared by those that asked before it began, and sees what was there when they did', async () => {
    const readings = new Readings();
    const first = readings.next();
    readings.now = 1;
    const later = [readings.next(), readings.next()];
    expect(readings.count).toBe(1);
    readings.ends[0]!();
    expect(await first).toBe(0);
    await expect.poll(() => readings.count).toBe(2);
    readings.now = 2;
    const last = readings.next();
    readings.ends[1]!();
    expect(await Promise.all(later)).toEqual([1, 1]);
    await expect.poll(() => readings.count).toBe(3);
    readings.ends[2]!();
    expect(await last).toBe(2);
  });

  it('of one name waits for none of another, and the next begins after one that failed', async () => {
    const readings = new Readings();
    readings.now = -1;
    const first = readings.next();
    readings.now = 1;
    const [next, other] = [readings.next(), readings.next('b')];
    expect(readings.count).toBe(2);
    readings.ends.splice(0).forEach((end) => end());
    await expect(first).rejects.toThrow('broken');
    expect(await other).toBe(1);
    await expect.poll(() => readings.count).toBe(3);
    readings.ends[0]!();
    expect(await next).toBe(1);
  });
});
