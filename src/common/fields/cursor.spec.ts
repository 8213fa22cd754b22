import { describe, expect, it } from 'vitest';
import { ValidationFailed } from '../problem/common-problems.js';
import { decodeCursor, encodeCursor, takePage } from './cursor.js';

const ID = '0198f2c4-7d3e-7abc-8def-0123456789ab';

describe('a page of a list', () => {
  it('is what was read up to the limit, and says where the next one starts only when there is one', () => {
    const rows = [1, 2, 3].map((n) => ({ n }));
    expect(takePage(rows, 3, ({ n }) => [n])).toEqual({ page: rows, has_more: false, next_cursor: null });
    const { page, has_more, next_cursor } = takePage(rows, 2, ({ n }) => [n]);
    expect([page, has_more]).toEqual([[{ n: 1 }, { n: 2 }], true]);
    expect(decodeCursor(next_cursor!, ['integer'])).toEqual([2]);
    expect(takePage([], 2, () => [0])).toEqual({ page: [], has_more: false, next_cursor: null });
  });
});

describe('a cursor', () => {
  it('comes back as it was made, and may be absent', () => {
    const key = ['a name', -3, ID, '9223372036854775807'];
    expect(decodeCursor(encodeCursor(key), ['text', 'integer', 'uuid', 'bigint'])).toEqual(key);
    expect(decodeCursor(undefined, ['uuid'])).toBeUndefined();
  });

  it.each([
    ['no JSON', 'AAAA', ['text']],
    ['no list', Buffer.from('{}').toString('base64url'), ['text']],
    ['of another length', encodeCursor(['a', 'b']), ['text']],
    ['text with NUL', encodeCursor(['a\0']), ['text']],
    ['half a surrogate pair', encodeCursor(['\ud800']), ['text']],
    ['a fraction', encodeCursor([1.5]), ['integer']],
    ['a number too large to count with', encodeCursor([2 ** 53]), ['integer']],
    ['no UUID', encodeCursor(['a']), ['uuid']],
    ['more than bigint holds', encodeCursor(['9223372036854775808']), ['bigint']],
    ['below zero', encodeCursor(['-1']), ['bigint']],
  ] as const)('that is %s is refused by name before the database sees it', (_what, cursor, shape) => {
    expect(() => decodeCursor(cursor, shape)).toThrow(ValidationFailed);
  });
});
