import { describe, expect, it } from 'vitest';
import { Problem } from '../problem/problem.js';
import {
  isDeeperThan,
  MAX_DIGESTED_VALUES,
  MAX_JSON_DEPTH,
  MAX_JSON_MEMBERS,
  MAX_JSON_VALUES,
  MAX_OBJECT_MEMBERS,
  NESTED_JSON_DEPTH,
  readJson,
} from './json-body.js';

const refusal = (body: string | Buffer): string => {
  try {
    readJson(Buffer.from(body));
    return 'accepted';
  } catch (error) {
    if (error instanceof Problem) return `${error.kind.status} ${error.kind.type}: ${error.message}`;
    throw error;
  }
};
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const wide = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 1]));

describe('readJson', () => {
  it('reads JSON; of duplicate members the last counts; no bytes are no body', () => {
    expect(readJson(Buffer.from('{"a":1,"b":[true,null,"ü"],"a":2}'))).toEqual({ a: 2, b: [true, null, 'ü'] });
    expect(readJson(Buffer.alloc(0))).toBeUndefined();
  });

  it.each([
    ['{"n":9007199254740993}', { n: '9007199254740993' }],
    ['{"n":9007199254740991}', { n: 9007199254740991 }],
    ['{"n":18446744073709551615,"m":9007199254740993}', { n: '18446744073709551615', m: 9007199254740992 }],
    [
      '{ "a" : {"n":9007199254740993} , "n"\n:\t9007199254740995 }',
      { a: { n: 9007199254740992 }, n: '9007199254740995' },
    ],
    ['{"a":"\\"n\\":9007199254740993","n":1}', { a: '"n":9007199254740993', n: 1 }],
    ['{"n":9007199254740993,"n":9007199254740995}', { n: '9007199254740995' }],
    ['{"n":9007199254740993,"n":"x"}', { n: 'x' }],
    ['{"n":"x","\\u006e":9007199254740993}', { n: '9007199254740993' }],
    ['{"n":1e19}', { n: 1e19 }],
    ['[{"n":9007199254740993}]', [{ n: 9007199254740992 }]],
    ['9007199254740993', 9007199254740992],
    ['null', null],
  ])('%s keeps the digits of its own member n alone', (text, value) => {
    expect(readJson(Buffer.from(text), { uint64s: ['n'] })).toEqual(value);
  });

  it('finds the digits in a body of millions of values at about the speed of looking at its shape', () => {
    const body = Buffer.from(`{"a":[${'1,'.repeat(3_900_000)}1],"n":9007199254740993}`);
    const ms = (work: () => unknown): number => {
      const begun = performance.now();
      work();
      return performance.now() - begun;
    };
    const plain = Math.min(...[1, 2, 3].map(() => ms(() => readJson(body))));
    const exact = Math.min(...[1, 2, 3].map(() => ms(() => readJson(body, { uint64s: ['n'] }))));
    expect(exact).toBeLessThan(3 * plain);
  });

  it.each([
    ['cut off', '{"a":', '400 MalformedRequest: The body is not valid JSON'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), '400 MalformedRequest: The body is not valid UTF-8'],
    ['a NUL', '{"a":{"b":["x","\\u0000"]}}', '400 ValidationFailed: body.a.b[1]: holds a NUL character'],
    [
      'a lone surrogate',
      '{"title":"\\ud800"}',
      '400 ValidationFailed: body.title: holds a NUL character or a lone surrogate',
    ],
    ['a bad member name', '{"a":{"x\\u0000":1}}', '400 ValidationFailed: body.a: has a member whose name'],
    ['__proto__', '{"__proto__":{"admin":true}}', '400 ValidationFailed: body: has a member whose name'],
    [
      'constructor, however deep',
      '{"a":[{"constructor":{"x":1}}]}',
      '400 ValidationFailed: body.a[0]: has a member whose name is not allowed: "constructor"',
    ],
    ['toString', '{"toString":1}', '400 ValidationFailed: body: has a member whose name'],
    [
      'too deep',
      nested(MAX_JSON_DEPTH + 2),
      `400 ValidationFailed: body${'[0]'.repeat(MAX_JSON_DEPTH)}: is nested deeper`,
    ],
    ['far too deep', nested(500_000), '400 ValidationFailed: body: is nested deeper'],
    ['far too deep and cut off', '['.repeat(500_000), '400 ValidationFailed: body: is nested deeper'],
    ['too many values', `[${'{},'.repeat(MAX_JSON_VALUES / 2)}0]`, '400 ValidationFailed: body: holds more than'],
    [
      'an object of too many members',
      JSON.stringify({ list: [wide(MAX_OBJECT_MEMBERS + 1)] }),
      '400 ValidationFailed: body: has an object of more than 10000 members',
    ],
    [
      'objects of too many members together',
      JSON.stringify(Array.from({ length: 6 }, () => wide(MAX_OBJECT_MEMBERS))),
      '400 ValidationFailed: body: has objects of more than 50000 members together',
    ],
  ])('refuses what is %s', (_, body, expected) => {
    expect(refusal(body)).toContain(expected);
  });

  it('takes members up to the bounds, more of them where a route declares that, and colons within text', () => {
    const most = JSON.stringify(Array.from({ length: 5 }, () => wide(MAX_OBJECT_MEMBERS)));
    expect(refusal(most)).toBe('accepted');
    expect(readJson(Buffer.from(most.replace(']', ',{"one":1}]')), { memberLimit: MAX_JSON_MEMBERS + 1 })).toHaveLength(
      6,
    );
    expect(refusal(JSON.stringify({ text: '{":'.repeat(MAX_JSON_MEMBERS + 1) }))).toBe('accepted');
  });

  it('finds text of more depth than a bound', () => {
    const isDeep = (depth: number) => isDeeperThan(MAX_JSON_DEPTH, Buffer.from(nested(depth)));
    expect([MAX_JSON_DEPTH, MAX_JSON_DEPTH + 1, 500_000].map(isDeep)).toEqual([false, true, true]);
  });

  it('takes fewer values where the body is digested before it is validated', () => {
    const list = (values: number): Buffer => Buffer.from(`{"documents":[${'1,'.repeat(values - 4)}1]}`);
    expect(readJson(list(MAX_DIGESTED_VALUES), { idempotent: true })).toHaveProperty('documents');
    const more = list(MAX_DIGESTED_VALUES + 10);
    expect(() => readJson(more, { idempotent: true })).toThrow(`holds more than ${MAX_DIGESTED_VALUES} values`);
    expect(readJson(more)).toHaveProperty('documents');
  });

  it('takes depth up to the bound, more of it where a route declares that, and brackets within text', () => {
    expect(refusal(nested(MAX_JSON_DEPTH))).toBe('accepted');
    const deeper = (levels: number) => readJson(Buffer.from(nested(levels)), { depthLimit: NESTED_JSON_DEPTH });
    expect(() => deeper(NESTED_JSON_DEPTH)).not.toThrow();
    expect(() => deeper(NESTED_JSON_DEPTH + 1)).toThrow('is nested deeper than 40 levels');
    expect(refusal(JSON.stringify({ text: `"\\${'[{,'.repeat(10_000)}` }))).toBe('accepted');
  });
});
