import { describe, expect, it } from 'vitest';
import type { Json } from './drift.types.js';
import { resolve, SchemaDrift } from './schema-drift.rules.js';

function changes(side: 'request' | 'response', old: Json, now: Json): string[] {
  const drift = new SchemaDrift({}, {});
  drift.compare(side, 'x', [old, now]);
  return drift.found.map(({ change, where, breaking }) => `${breaking ? '!' : ''}${change} ${where}`);
}

const object = (properties: Record<string, Json>, required: string[] = [], more: Record<string, Json> = {}): Json => ({
  ...{ type: 'object', properties, required, ...more },
});
const text: Json = { type: 'string' };

describe('a change of a schema', () => {
  it.each<[string, 'request' | 'response', Json, Json, string[]]>([
    ['nothing', 'request', object({ a: text }), object({ a: text }), []],
    ['a new member', 'request', object({}), object({ a: text }), ['request.member_added x.a']],
    ['a needed member', 'request', object({}), object({ a: text }, ['a']), ['!request.member_required x.a']],
    ['one that is answered', 'response', object({}), object({ a: text }, ['a']), ['response.member_added x.a']],
    ['one that is not', 'response', object({ a: text }), object({}), ['!response.member_removed x.a']],
    [
      'one that may be absent',
      'response',
      object({ a: text }, ['a']),
      object({ a: text }),
      ['!response.member_optional x.a'],
    ],
    [
      'one that is refused',
      'request',
      object({ a: text }),
      object({}, [], { additionalProperties: false }),
      ['!request.member_removed x.a'],
    ],
    ['one that is passed over', 'request', object({ a: text }), object({}), []],
    ['a wider type', 'request', { type: 'integer' }, { type: 'number' }, ['request.type_changed x']],
    ['a narrower type', 'request', { type: ['string', 'null'] }, text, ['!request.type_changed x']],
    ['an answer that may be null', 'response', text, { type: ['string', 'null'] }, ['!response.type_changed x']],
    ['values that are taken no more', 'request', { enum: ['a', 'b'] }, { enum: ['a'] }, ['!request.values_narrowed x']],
    ['values that are new', 'request', { enum: ['a'] }, { enum: ['a', 'b'] }, []],
    ['answers that are new', 'response', { enum: ['a'] }, { enum: ['a', 'b'] }, ['response.values_widened x']],
    ['a lower maximum', 'request', { maxLength: 9 }, { maxLength: 8 }, ['!request.bound_narrowed x']],
    ['a higher maximum', 'request', { maxLength: 9 }, { maxLength: 10 }, []],
    ['a new minimum', 'request', {}, { minimum: 1 }, ['!request.bound_narrowed x']],
    [
      'what is in a list',
      'response',
      { type: 'array', items: object({ a: text }) },
      { type: 'array', items: object({}) },
      ['!response.member_removed x[].a'],
    ],
  ])('%s of a %s', (_, side, old, now, expected) => {
    expect(changes(side, old, now)).toEqual(expected);
  });
});

it('a reference is followed, and none that leads nowhere or in a circle', () => {
  const document = { components: { 'a/b': { type: 'string' } }, loop: { $ref: '#/loop' } };
  expect(resolve(document, { $ref: '#/components/a~1b' })).toEqual({ type: 'string' });
  expect(resolve(document, { $ref: '#/nowhere' })).toBeUndefined();
  expect(resolve(document, { $ref: '#/loop' })).toBeUndefined();
  expect(resolve(document, { $ref: 'https://example.org/x' })).toBeUndefined();
});

it('a schema that refers to itself ends', () => {
  const document = { node: { type: 'object', properties: { next: { $ref: '#/node' } } } };
  const drift = new SchemaDrift(document, document);
  drift.compare('response', 'x', [{ $ref: '#/node' }, { $ref: '#/node' }]);
  expect(drift.found).toEqual([]);
});
