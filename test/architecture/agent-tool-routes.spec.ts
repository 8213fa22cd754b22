import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AgentTools } from '../../src/rpc/agent/agent-tools.js';

/** The routes of golden manifests, which other tests hold against the running apps. */
const routesIn = (server: string, ...manifests: string[]): string[] =>
  manifests.flatMap((name) =>
    readFileSync(join(import.meta.dirname, '..', 'golden', name), 'utf8')
      .split('\n')
      .map((line) => `${server} ${line.split(' | ')[0]!}`),
  );

it('the tools of agents declare routes that are there: a switch on a route stops what calls it', () => {
  // The tool service answers its own capabilities, in the tenant API's place.
  const known = new Set([
    ...routesIn('api', 'routes.txt', 'tools-routes.txt'),
    ...routesIn('daemon', 'daemon-routes.txt'),
  ]);
  const declared = new AgentTools().tools.flatMap(({ name, routes }) => routes.map((route) => [name, route]));
  expect(declared.length).toBeGreaterThan(15);
  expect(declared.filter(([, route]) => !known.has(route!))).toEqual([]);
});
