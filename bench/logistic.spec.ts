import { describe, expect, it } from 'vitest';
import { learnLogistic } from './logistic.js';
import { seededRandom } from './random.js';

describe('logistic regression', () => {
  it('finds the weights that observations were drawn by', () => {
    const random = seededRandom(1);
    const observations = Array.from({ length: 20_000 }, () => {
      const features = [random() * 10 - 5, random() * 100];
      const odds = 1 + 0.8 * features[0]! - 0.03 * features[1]!;
      return { features, isPositive: random() < 1 / (1 + Math.exp(-odds)), weight: 1 };
    });
    const { bias, weights } = learnLogistic(observations);
    expect([bias, ...weights].map((value) => Number(value.toFixed(1)))).toEqual([1, 0.8, -0]);
    expect(weights[1]).toBeCloseTo(-0.03, 2);
  });

  it('stays finite where a line parts the classes', () => {
    const { bias, weights } = learnLogistic([
      { features: [1], isPositive: true, weight: 1 },
      { features: [-1], isPositive: false, weight: 1 },
    ]);
    expect(Number.isFinite(weights[0]! + bias)).toBe(true);
    expect(weights[0]).toBeGreaterThan(0);
  });

  it('counts an observation by its weight', () => {
    const observe = (isPositive: boolean, weight: number) => ({ features: [0], isPositive, weight });
    expect(learnLogistic([observe(true, 3), observe(false, 1)]).bias).toBeCloseTo(Math.log(3), 1);
  });
});
