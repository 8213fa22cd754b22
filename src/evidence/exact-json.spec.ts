import { describe, expect, it } from 'vitest';
import { findInexactness } from './exact-json.js';

describe('what keeps JSON from having one digest everywhere', () => {
  it.each([
    ['nothing', null],
    ['numbers within 2^53', [Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 0, 0.1, 1e-300]],
    ['text of digits', { n: '12345678901234567890' }],
  ])('is not %s', (_, value) => {
    expect(findInexactness(value, 100)).toBeUndefined();
  });

  it.each([
    ['by itself', 2 ** 53, ''],
    ['in an object', { a: { b: -(2 ** 60) } }, '.a.b'],
    ['in a list', { a: [0, [1e20]] }, '.a[1][0]'],
  ])('is a whole number past 2^53 - 1 %s', (_, value, path) => {
    expect(findInexactness(value, 100)).toEqual({ path, message: expect.stringContaining('past 2^53 - 1') as string });
  });

  it('is not in members that are counted alone', () => {
    const value = { list: [{ payload: { deep: [1e300] } }, { payload: 2 ** 60 }] };
    expect(findInexactness(value, 9, 'payload')).toBeUndefined();
    expect(findInexactness(value, 7, 'payload')).toMatchObject({ path: '' });
    expect(findInexactness({ ...value, n: 2 ** 60 }, 20, 'payload')).toMatchObject({ path: '.n' });
  });

  it('is too many values, lists and objects counted', () => {
    expect(findInexactness([1, { a: 2 }], 4)).toBeUndefined();
    expect(findInexactness([1, { a: 2 }], 3)).toEqual({ path: '', message: 'holds more than 3 values; divide it' });
  });
});
