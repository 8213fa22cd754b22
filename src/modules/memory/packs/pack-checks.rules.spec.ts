import { expect, it } from 'vitest';
import { checkExact, pageOf } from './pack-checks.rules.js';

it('a number that lost digits is named', () => {
  expect(() => checkExact({ facts: [{ value: 2 ** 53 }] })).toThrow('body.pack.facts[0].value');
  expect(() => checkExact({ facts: [{ value: 0.5 }] })).not.toThrow();
  expect(() => checkExact({ entities: [{ payload: { a: 1e300 } }], edges: [{ payload: 2 ** 60 }] })).not.toThrow();
});

it('a list is taken a thousand at once', () => {
  expect([...pageOf(Array(2500).fill(0))].map(({ length }) => length)).toEqual([1000, 1000, 500]);
  expect([...pageOf([])]).toEqual([]);
});
