import { describe, expect, it } from 'vitest';
import { hasReached, parseLsn, timelineOf } from './wal-position.rules.js';

describe('a position of the write-ahead log', () => {
  it.each([
    ['0/0', 0n],
    ['0/1', 1n],
    ['16/B374D848', 0x16b374d848n],
    ['1/A', 0x10000000an],
    ['FFFFFFFF/FFFFFFFF', 0xffffffffffffffffn],
  ])('%s is a number of bytes', (text, bytes) => expect(parseLsn(text)).toBe(bytes));

  it.each(['', '16', '16/', '/1', 'x/1', '1/2/3', '123456789/0'])('is not read from "%s"', (text) =>
    expect(() => parseLsn(text)).toThrow('not a position'),
  );

  it('has the timeline of its file', () => expect(timelineOf('0000000A0000000100000002')).toBe(10));

  it.each([
    [1n, 1, 1n, 1, true],
    [2n, 1, 1n, 1, true],
    [1n, 1, 2n, 1, false],
    [9n, 1, 1n, 2, false],
    [9n, 2, 1n, 1, false],
  ])('replayed to %s on timeline %s has reached %s on %s: %s', (lsn, timeline, wanted, on, reached) =>
    expect(hasReached({ lsn, timeline }, { lsn: wanted, timeline: on })).toBe(reached),
  );
});
