import fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import type { Tool, ToolMember } from '../../../rpc/tools/tool.js';
import { makeDaemonTools } from '../../../rpc/tools/daemon-tools.js';
import { findUnfit } from './tool-arguments.rules.js';

const { tools } = makeDaemonTools();
const find = (name: string): Tool => tools.find(({ definition }) => definition.name === name)!;
/** A tool with these members in place of its own. */
const toolWith = (route: Tool['route'], ...members: [name: string, place: ToolMember['place']][]): Tool => ({
  ...find('get_fact'),
  route,
  members: members.map(([name, place]) => ({ name, member: name, place, schema: {}, isRequired: false })),
});

const http = fastify();
for (const url of ['/v1/things/:id', '/v1/things/list', '/v1/things/:id/parts']) http.get(url, () => '');
http.delete('/v1/things/all', () => '');
const read = toolWith('GET /v1/things/:id', ['id', 'path'], ['limit', 'query'], ['note', 'body']);
const fault = (given: Record<string, unknown>, tool = read) => findUnfit(tool, given, http)?.message;

describe('the arguments of a tool', () => {
  it('fit as they are, whatever else the route will say of them', () => {
    for (const limit of ['x', 7, true, undefined])
      expect(fault({ id: 'a', limit, note: { any: [null] } })).toBeUndefined();
    expect(fault({ id: 'a' })).toBeUndefined();
  });

  it.each(['limt', 'constructor', '__proto__', ''])('are refused under a name that it does not take: %j', (name) => {
    const given = JSON.parse(`{"id": "a", ${JSON.stringify(name)}: 1}`) as Record<string, unknown>;
    const { definition } = read;
    expect(fault(given)).toBe(`arguments.${name}: is no argument of ${definition.name}, which takes id, limit, note`);
  });

  it('name an unknown one by its beginning alone', () => {
    expect(fault({ id: 'a', ['x'.repeat(81)]: 1 })).toMatch(/^arguments\.x{80}: is no argument/);
  });

  it.each([[null], [[]], [['a']], [{}]])('cannot put %j into a query', (limit) => {
    expect(fault({ id: 'a', limit })).toBe(
      'arguments.limit: is neither text nor a number nor a boolean; leave it out where it is not set',
    );
  });

  it.each([[undefined], [''], [7], [null], [['a']], [true]])('need text for an id, not %j', (id) => {
    expect(fault({ id })).toBe('arguments.id: is needed: text that is an id');
  });
});

describe('an id', () => {
  it.each(['.', '..', 'list'])('%j would lead to another address', (id) => {
    expect(fault({ id })).toBe('arguments.id: is no id: it would lead to another address');
  });

  it.each(['...', 'LIST', 'lists', 'all', 'a/b', 'list?x=1', '%2e%2e', '$&', 'a:id'])('%j leads to its own', (id) => {
    expect(fault({ id })).toBeUndefined();
  });

  it('is held against the routes of its own method', () => {
    const remove = toolWith('DELETE /v1/things/:id', ['id', 'path']);
    expect([fault({ id: 'all' }, remove), fault({ id: 'list' }, remove)]).toEqual([
      'arguments.id: is no id: it would lead to another address',
      undefined,
    ]);
  });
});

it('each tool of the daemon takes the names of its own schema', () => {
  for (const tool of tools) {
    const names = Object.keys(tool.definition.inputSchema.properties);
    const given = Object.fromEntries(names.map((name) => [name, 'a']));
    expect([tool.definition.name, findUnfit(tool, given, http)]).toEqual([tool.definition.name, undefined]);
  }
});
