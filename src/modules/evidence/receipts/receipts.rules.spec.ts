import { describe, expect, it } from 'vitest';
import { encodeCursor } from '../../../common/fields/cursor.js';
import { cursorKeyOf, positionOf } from './receipts.rules.js';

const INSTANT = '2026-11-20T10:00:00.123456Z';
const DIGEST = 'ab'.repeat(32);
const execution = { instant: INSTANT, family: 'execution', stream: 'main', seq: 7, digest: DIGEST };
const retrieval = { instant: INSTANT, family: 'retrieval', stream: null, seq: null, digest: DIGEST };
const read = (key: (string | number)[]) => positionOf(encodeCursor(key));

describe('a cursor of the list', () => {
  it('leads back to its row', () => {
    expect(read(cursorKeyOf(execution))).toEqual({
      ...{ family: 'execution', occurredAt: INSTANT, stream: 'main', seq: 7 },
    });
    expect(read(cursorKeyOf(retrieval))).toEqual({ family: 'retrieval', occurredAt: INSTANT, digest: DIGEST });
    expect(positionOf(undefined)).toBeUndefined();
  });

  it.each([
    '2024-02-29T00:00:00.000000Z',
    '0001-01-01T00:00:00.000000Z',
    '9999-12-31T23:59:59.999999Z',
    '2026-12-31T23:59:59.000001Z',
  ])('may be of %s', (instant) => {
    expect(read(cursorKeyOf({ ...execution, instant }))).toMatchObject({ occurredAt: instant });
  });

  it.each([
    '2026-02-29T00:00:00.000000Z',
    '2026-02-30T00:00:00.000000Z',
    '2026-04-31T00:00:00.000000Z',
    '2026-13-01T00:00:00.000000Z',
    '2026-00-01T00:00:00.000000Z',
    '2026-01-00T00:00:00.000000Z',
    '2026-01-01T24:00:00.000000Z',
    '2026-01-01T23:60:00.000000Z',
    '2026-01-01T23:59:60.000000Z',
    '0000-01-01T00:00:00.000000Z',
    '2026-01-01T00:00:00.000Z',
    '2026-01-01T00:00:00.000000',
    '2026-01-01T00:00:00.000000+00:00',
    '+012026-01-01T00:00:00.000000Z',
    '2026-01-01 00:00:00.000000Z',
    'infinity',
    '',
  ])('of %j was not made here', (instant) => {
    expect(() => read(cursorKeyOf({ ...execution, instant }))).toThrow(
      'query.before: is not a cursor of this list; leave it out to start at the newest',
    );
  });

  it.each<[string, (string | number)[]]>([
    ['another family', [INSTANT, 'other', 'main', 7]],
    ['a digest that is too short', [INSTANT, 'retrieval', DIGEST.slice(1), 0]],
    ['a digest in capitals', [INSTANT, 'retrieval', DIGEST.toUpperCase(), 0]],
    ['a digest with its name', [INSTANT, 'retrieval', `blake3:${DIGEST}`, 0]],
    ['another number of parts', [INSTANT, 'execution', 'main']],
    ['a seq that is text', [INSTANT, 'execution', 'main', '7']],
    ['a seq with a fraction', [INSTANT, 'execution', 'main', 7.5]],
    ['a stream that PostgreSQL cannot hold', [INSTANT, 'execution', 'a\0b', 7]],
  ])('with %s was not made here', (_what, key) => {
    expect(() => read(key)).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^query\.before: is not/) }),
    );
  });
});
