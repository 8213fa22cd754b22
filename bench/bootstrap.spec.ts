import { describe, expect, it } from 'vitest';
import { compareSamples } from './bootstrap.js';
import { quantile } from './measures.js';
import { seededRandom, type Random } from './random.js';
import { milliseconds, share } from './report.js';

const draw = (count: number, of: () => number): number[] => Array.from({ length: count }, of);
/** Exponential, as waiting times are. */
const wait = (random: Random, mean: number): number => -mean * Math.log(1 - random());

/** Of so many pairs of runs that do not differ, how many have 1 outside of their interval. */
function falseAlarms(pairs: number, run: (random: Random) => number[]): number {
  const random = seededRandom(7);
  return Array.from({ length: pairs }).filter(() => {
    const { interval } = compareSamples(milliseconds('a', run(random)), milliseconds('b', run(random)));
    return interval!.low > 1 || interval!.high < 1;
  }).length;
}

describe('the interval of a ratio', () => {
  it('is of the medians by the nearest rank, as the tables show them', () => {
    const [a, b] = [draw(101, Math.random), draw(50, Math.random)];
    const { first, second, ratio } = compareSamples(milliseconds('a', a), milliseconds('b', b));
    expect([first, second]).toEqual([a, b].map((samples) => quantile(Float64Array.from(samples).sort(), 0.5)));
    expect(ratio).toBeCloseTo(second / first);
  });

  it('is of the means where a sample is a share', () => {
    const { first, second, ratio } = compareSamples(share('a', [0, 0, 0, 1]), share('b', [0, 1, 1, 1]));
    expect([first, second, ratio]).toEqual([0.25, 0.75, 3]);
  });

  it('is the same for the same samples', () => {
    const random = seededRandom(3);
    const [a, b] = [milliseconds('a', draw(60, random)), milliseconds('b', draw(60, random))];
    expect(compareSamples(a, b)).toEqual(compareSamples(a, b));
  });

  it('holds the true ratio as often as it says, of independent samples', () => {
    const alarms = falseAlarms(200, (random) => draw(300, () => wait(random, 3)));
    expect(alarms).toBeGreaterThanOrEqual(1);
    expect(alarms).toBeLessThanOrEqual(20);
  });

  it('holds it about as often when samples depend on those just before them', () => {
    // Ten in a row share a delay.
    const bursts = (random: Random): number[] => {
      let delay = 0;
      return Array.from({ length: 1_000 }, (_, n) => {
        if (n % 10 === 0) delay = wait(random, 3);
        return delay + wait(random, 0.1);
      });
    };
    expect(falseAlarms(100, bursts)).toBeLessThanOrEqual(14);
  });

  it('finds a difference of a tenth in a thousand samples', () => {
    const random = seededRandom(5);
    const run = (mean: number) =>
      milliseconds(
        'a',
        draw(1_000, () => 10 * mean + wait(random, mean)),
      );
    const { interval } = compareSamples(run(1), run(1.1));
    expect(interval!.low).toBeGreaterThan(1.05);
    expect(interval!.high).toBeLessThan(1.15);
  });

  it('is none of fewer than eight samples, or where the first is 0', () => {
    const seven = milliseconds(
      'a',
      draw(7, () => 1),
    );
    const many = milliseconds(
      'a',
      draw(8, () => 1),
    );
    expect(compareSamples(seven, many).interval).toBeUndefined();
    expect(compareSamples(many, many).interval).toEqual({ low: 1, high: 1 });
    expect(
      compareSamples(
        share(
          'a',
          draw(9, () => 0),
        ),
        share(
          'b',
          draw(9, () => 1),
        ),
      ),
    ).toMatchObject({
      ratio: undefined,
      interval: undefined,
    });
  });
});
