import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { OPERATION_OF } from './gen-ai-spans.js';

it('each route with an operation is one that there is', () => {
  const golden = ['routes.txt', 'daemon-routes.txt'].map((name) => readFileSync(`test/golden/${name}`, 'utf8'));
  const routes = new Set(golden.flatMap((text) => text.split('\n').map((line) => line.split(' |')[0]!.trim())));
  expect([...OPERATION_OF.keys()].filter((address) => !routes.has(address))).toEqual([]);
});
