import { describe, expect, it } from 'vitest';
import { LeafMarks, rangesOf } from './leaf-marks.js';

describe('the marks of leaves', () => {
  it('name the leaves that were not seen, the first ones, and count all', () => {
    const marks = new LeafMarks(20);
    for (let leaf = 0; leaf < 20; leaf += 1) if (![0, 7, 8, 19].includes(leaf)) marks.mark(leaf);
    expect(marks.unmarked(3)).toEqual({ first: [0, 7, 8], count: 4 });
    marks.markRange(7, 2);
    expect(marks.unmarked(3)).toEqual({ first: [0, 19], count: 2 });
    expect(new LeafMarks(20, marks.bits).unmarked(3)).toEqual({ first: [0, 19], count: 2 });
  });

  it('leave out what came after the look began', () => {
    const marks = new LeafMarks(9);
    marks.mark(9);
    marks.markRange(8, 1_000);
    expect(marks.unmarked(99).first).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(new LeafMarks(0).unmarked(1)).toEqual({ first: [], count: 0 });
  });

  it('are written as ranges', () => {
    expect(rangesOf([5, 3, 4, 9, 4, 0])).toEqual([
      [0, 1],
      [3, 3],
      [9, 1],
    ]);
  });
});
