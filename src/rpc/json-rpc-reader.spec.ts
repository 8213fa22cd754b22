import { describe, expect, it } from 'vitest';
import { isMalformed, MAX_BATCH, readPayload } from './json-rpc-reader.js';

/** What is read of a payload, in short: a call as it is, a malformed member as [id, code]. */
function read(payload: string | Uint8Array) {
  const { isBatch, members } = readPayload(payload);
  const shown = members.map((member) => (isMalformed(member) ? [member.id, member.code] : member));
  return isBatch ? shown : shown[0];
}

const call = (members: object) => JSON.stringify({ jsonrpc: '2.0', method: 'm', ...members });

describe('one request', () => {
  it.each([
    [
      'a call by name',
      '{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}',
      { id: '1', method: 'm', params: { a: 1 } },
    ],
    [
      'a call by position',
      '{"jsonrpc":"2.0","id":"x","method":"m","params":[1]}',
      { id: '"x"', method: 'm', params: [1] },
    ],
    ['a call without params', '{"jsonrpc":"2.0","id":1,"method":"m"}', { id: '1', method: 'm' }],
    ['a notification', '{"jsonrpc":"2.0","method":"m"}', { method: 'm' }],
    [
      'an id of null, which is no notification',
      '{"jsonrpc":"2.0","id":null,"method":"m"}',
      { id: 'null', method: 'm' },
    ],
    ['members it does not know', '{"jsonrpc":"2.0","id":1,"method":"m","more":true}', { id: '1', method: 'm' }],
    [
      'the last of duplicate members',
      '{"jsonrpc":"2.0","id":1,"id":2,"method":"a","method":"m"}',
      { id: '2', method: 'm' },
    ],
    ['a byte order mark', '\ufeff{"jsonrpc":"2.0","id":1,"method":"m"}', { id: '1', method: 'm' }],
  ])('reads %s', (_, payload, expected) => {
    expect(read(Buffer.from(payload))).toEqual(expected);
  });

  it.each(['9007199254740993', '-0.0', '1e400', '1.50', '123456789012345678901234567890', '12e-1'])(
    'gives the id %s back as it came',
    (id) => {
      expect(read(`{"jsonrpc":"2.0","method":"m","params":{"id":9007199254740995},"id":${id}}`)).toMatchObject({ id });
    },
  );

  it.each([
    ['no JSON', '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', [['null', -32700]]],
    ['nothing', '', [['null', -32700]]],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), [['null', -32700]]],
    ['a string', '"m"', [['null', -32600]]],
    ['a number', '1', [['null', -32600]]],
    ['null', 'null', [['null', -32600]]],
    ['an object of another kind', '{"foo":"boo"}', [['null', -32600]]],
    ['a method that is no string', '{"jsonrpc":"2.0","method":1,"params":"bar"}', [['null', -32600]]],
    ['params that are no structure', call({ id: 1, params: 'bar' }), [['1', -32600]]],
    ['params of null', call({ id: 1, params: null }), [['1', -32600]]],
    ['no version', '{"id":7,"method":"m"}', [['7', -32600]]],
    ['an older version', call({ id: 7, jsonrpc: '1.0' }), [['7', -32600]]],
    ['a version that is a number', call({ id: 7, jsonrpc: 2 }), [['7', -32600]]],
    ['an id that is a boolean', call({ id: true }), [['null', -32600]]],
    ['an id that is an object', call({ id: { a: 1 } }), [['null', -32600]]],
    ['an id that is an array', call({ id: [1] }), [['null', -32600]]],
    ['an answer', '{"jsonrpc":"2.0","id":1,"result":1}', [['1', -32600]]],
    ['a member only its prototype has', '{"jsonrpc":"2.0","id":1,"__proto__":{"method":"m"}}', [['1', -32600]]],
    ['text that cannot be kept', call({ id: 1, params: { a: 'x\0' } }), [['1', -32602]]],
    ['a name every object has', '{"jsonrpc":"2.0","id":1,"method":"m","params":{"__proto__":1}}', [['1', -32602]]],
    ['a number too great', '{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1e999}}', [['1', -32602]]],
    ['params that are too deep', call({ id: 1, params: nested(33) }), [['1', -32602]]],
  ])('refuses %s', (_, payload, [expected]) => {
    expect(read(payload)).toEqual(expected);
  });

  it('says nothing about a notification that is malformed inside', () => {
    expect(read(call({ params: { a: 'x\0' } }))).toEqual([undefined, -32602]);
  });

  it('reads what is nested up to the bound, and parses nothing that is nested far deeper or has too many members', () => {
    expect(read(call({ id: 1, params: nested(32) }))).toMatchObject({ id: '1' });
    const deep = 200_000;
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`m${at}`, 1])));
    for (const params of [`${'['.repeat(deep)}${']'.repeat(deep)}`, wide])
      expect(read(`{"jsonrpc":"2.0","id":1,"method":"m","params":${params}}`)).toEqual(['null', -32600]);
    expect(read('['.repeat(deep))).toEqual(['null', -32600]);
  });
});

describe('a batch', () => {
  it.each([
    ['empty', '[]', ['null', -32600]],
    [
      'not JSON',
      '[{"jsonrpc":"2.0","method":"sum","params":[1,2,4],"id":"1"},{"jsonrpc":"2.0","method"]',
      ['null', -32700],
    ],
  ])('that is %s is answered by one error', (_, payload, expected) => {
    expect(read(payload)).toEqual(expected);
  });

  it.each([
    ['one that is none', '[1]', [['null', -32600]]],
    [
      'some that are none',
      '[1,2,3]',
      [
        ['null', -32600],
        ['null', -32600],
        ['null', -32600],
      ],
    ],
    [
      'good and bad ones',
      `[${call({ id: '1' })},${call({})},{"foo":"boo"},[],${call({ id: 9 })}]`,
      [{ id: '"1"', method: 'm' }, { method: 'm' }, ['null', -32600], ['null', -32600], { id: '9', method: 'm' }],
    ],
  ])('of %s is read member by member', (_, payload, expected) => {
    expect(read(payload)).toEqual(expected);
  });

  it('keeps each id as it came', () => {
    const ids = ['9007199254740993', '1', '9007199254740995'];
    const members = ids.map((id) => `{"jsonrpc":"2.0","method":"m","id":${id}}`);
    expect(read(`[${members.join(',')}]`)).toEqual(ids.map((id) => ({ id, method: 'm' })));
  });

  it('has a bound', () => {
    const of = (count: number) =>
      `[${Array<string>(count)
        .fill(call({ id: 1 }))
        .join(',')}]`;
    expect(read(of(MAX_BATCH))).toHaveLength(MAX_BATCH);
    expect(read(of(MAX_BATCH + 1))).toEqual(['null', -32600]);
  });
});

function nested(depth: number): unknown {
  let value: unknown = [];
  for (let i = 1; i < depth; i++) value = [value];
  return value;
}
