import { describe, expect, it } from 'vitest';
import { axisEnd, daysBetween, rectanglesOf } from './bar-chart.ts';

describe('the axis of a chart', () => {
  it.each([
    [0, 1],
    [1, 1],
    [1.5, 2],
    [3, 5],
    [50, 50],
    [51, 100],
    [0.03, 0.05],
  ])('of amounts up to %d ends at %d', (amount, end) => {
    expect(axisEnd(amount)).toBeCloseTo(end, 10);
  });
});

describe('the days of a chart', () => {
  it('are all, those without anything too', () => {
    expect(daysBetween('2026-02-27', '2026-03-01')).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
    expect(daysBetween('2026-03-01', '2026-03-01')).toEqual(['2026-03-01']);
  });
});

describe('a bar', () => {
  it('has its amounts one above the other', () => {
    const [low, high] = rectanglesOf({ label: 'Monday', amounts: [25, 50] }, 1, 2, 100);
    expect([low!.y, low!.height]).toEqual([75, 25]);
    expect([high!.y, high!.height]).toEqual([25, 50]);
    expect(low!.x).toBeGreaterThan(50);
    expect(low!.x + low!.width).toBeLessThan(100);
  });
});
