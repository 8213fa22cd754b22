import { describe, expect, it } from 'vitest';
import { countOperations, driftOf } from './api-drift.rules.js';
import type { Json } from './drift.types.js';

const operation = (more: Record<string, Json> = {}): { [name: string]: Json } => ({
  responses: {
    '200': { content: { 'application/json': { schema: { type: 'object', properties: { a: { type: 'string' } } } } } },
  },
  'x-scopes': { any_of: ['facts:read', 'admin:read'] },
  ...more,
});
const document = (paths: Record<string, Json>): { [name: string]: Json } => ({ openapi: '3.1.0', paths });
const changes = (before: Record<string, Json>, after: Record<string, Json>): string[] =>
  driftOf(document(before), document(after)).map(
    ({ change, where, breaking }) => `${breaking ? '!' : ''}${change} ${where}`,
  );

describe('the drift of a manifest', () => {
  it('is nothing where only the name of a parameter of the path differs', () => {
    const id = (name: string) => ({ parameters: [{ in: 'path', name, required: true, schema: { type: 'string' } }] });
    expect(changes({ '/a/{id}': { get: operation(id('id')) } }, { '/a/{key}': { get: operation(id('key')) } })).toEqual(
      [],
    );
  });

  it('names what is gone before what is new', () => {
    expect(changes({ '/a': { get: operation() } }, { '/b': { get: operation() } })).toEqual([
      '!operation.removed GET /a',
      'operation.added GET /b',
    ]);
  });

  it.each<[string, Record<string, Json>, string[]]>([
    ['scopes that no longer suffice', { 'x-scopes': { any_of: ['admin:read'] } }, ['!access.scopes_narrowed GET /a']],
    [
      'a parameter that is needed',
      { parameters: [{ in: 'query', name: 'q', required: true }] },
      ['!request.parameter_required GET /a query.q'],
    ],
    [
      'a parameter that may be',
      { parameters: [{ in: 'query', name: 'q' }] },
      ['request.parameter_added GET /a query.q'],
    ],
    ['a body that is needed', { requestBody: { required: true, content: {} } }, ['!request.body_required GET /a']],
    [
      'another status',
      { responses: { '204': {} } },
      ['!response.status_removed GET /a 200', 'response.status_added GET /a 204'],
    ],
  ])('has %s', (_, more, expected) => {
    expect(changes({ '/a': { get: operation() } }, { '/a': { get: operation(more) } })).toEqual(expected);
  });

  it('bears what is no manifest', () => {
    const odd: Json[] = [null, 3, [], { get: null }, { get: { parameters: 3, responses: [], requestBody: 'x' } }];
    const paths = Object.fromEntries(odd.map((value, index) => [`/${index}`, value]));
    expect(driftOf({ paths: 'x' }, document(paths)).length).toBe(1);
    expect(countOperations(document(paths))).toBe(1);
  });

  it('is found without delay where a path is hostile', () => {
    expect(countOperations(document({ [`/${'{'.repeat(200_000)}`]: { get: operation() } }))).toBe(1);
  });
});
