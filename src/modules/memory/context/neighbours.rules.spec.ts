import { describe, expect, it } from 'vitest';
import { worthOf } from './neighbours.rules.js';

const found = (...scores: number[]) => scores.map((score, i) => ({ id: `f${i}`, score }));
const shown = (worth: Map<string, number>) =>
  Object.fromEntries([...worth].map(([id, value]) => [id, Number(value.toFixed(4))]));

describe('what a fact is worth', () => {
  it('is its share of the best score', () => {
    expect(shown(worthOf(found(10, 5, 0), []))).toEqual({ f0: 1, f1: 0.5, f2: 0 });
  });

  it('grows by what stands next to it, less with the distance', () => {
    const neighbours = [1, 2, 3, 4].map((distance) => ({ of: 'f0', id: `n${distance}`, distance }));
    expect(shown(worthOf(found(10), neighbours))).toEqual({ f0: 1, n1: 0.7071, n2: 0.5477, n3: 0.3162, n4: 0 });
  });

  it('of a fact between two matches may be more than that of either', () => {
    const neighbours = ['f0', 'f1'].map((of) => ({ of, id: 'f2', distance: 1 }));
    expect(shown(worthOf(found(10, 10, 5), neighbours))).toEqual({ f0: 0.8944, f1: 0.8944, f2: 1 });
  });

  it('is more right after a question, and follows what is known of the text', () => {
    const neighbours = [-1, 1].map((distance) => ({ of: 'f0', id: `n${distance}`, distance }));
    const texts = new Map([
      ['f0', { isQuestion: true, factor: 0.75 }],
      ['n1', { isQuestion: false, factor: 1 }],
    ]);
    expect(shown(worthOf(found(10), neighbours, texts))).toEqual({ f0: 1, 'n-1': 0.8165, n1: 1 });
  });

  it('of nothing is nothing', () => {
    expect(worthOf([], [])).toEqual(new Map());
  });
});
