import { expect, it } from 'vitest';
import { MaskedPlaces, maskMarks, mergeMarks } from './marks.js';

const TEXT = 'a SECRET b TOKEN c';
const MARKS = [
  { start: 2, end: 8, name: 'x' },
  { start: 4, end: 9, name: 'inner' },
  { start: 11, end: 16, name: 'long name' },
];

it('makes one of what overlaps', () => {
  expect(mergeMarks(MARKS).map(({ start, end, name }) => [start, end, name])).toEqual([
    [2, 9, 'x'],
    [11, 16, 'long name'],
  ]);
  expect(maskMarks(TEXT, MARKS)).toBe('a [x]b [long name] c');
});

it('finds places of the masked text in the text as it was', () => {
  const places = new MaskedPlaces(MARKS);
  const masked = maskMarks(TEXT, MARKS);
  const at = masked.indexOf('b');
  expect(places.widen(at, at + 1)).toEqual({ masked: [at, at + 1], original: [9, 10], marks: [] });
  const end = masked.indexOf('c');
  expect(places.widen(end, end + 1).original).toEqual([17, 18]);
});

it('widens a part that would cut a mask', () => {
  const { masked, original, marks } = new MaskedPlaces(MARKS).widen(3, 9);
  expect([maskMarks(TEXT, MARKS).slice(...masked), TEXT.slice(...original)]).toEqual([
    '[x]b [long name]',
    'SECRET b TOKEN',
  ]);
  expect(marks.map(({ name }) => name)).toEqual(['x', 'long name']);
});
