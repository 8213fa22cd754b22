import { expect, it } from 'vitest';
import { NEW_KEY } from '../fields/example-values.js';
import { byEffect, replaceIdempotencyKey } from './docs-page-scripts.js';

const sent = (key: string) =>
  replaceIdempotencyKey({ headers: { 'X-Idempotency-Key': key } }).headers['X-Idempotency-Key'];

it('the prefilled key is another one with each request, and one that was typed stays', () => {
  expect(sent(NEW_KEY)).toMatch(/^[0-9a-f]{32}$/);
  expect(sent(NEW_KEY)).not.toBe(sent(NEW_KEY));
  expect(sent('typed-by-hand')).toBe('typed-by-hand');
});

it('what removes something comes last, parts before the whole', () => {
  const shown = ['delete /a/{id}', 'get /a', 'delete /a/{id}/parts/{part}', 'post /a'].map((address) => {
    const [method, path] = address.split(' ') as [string, string];
    return { address, get: (name: 'path' | 'method') => ({ path, method })[name] };
  });
  expect(shown.toSorted(byEffect).map(({ address }) => address)).toEqual([
    ...['get /a', 'post /a'],
    ...['delete /a/{id}/parts/{part}', 'delete /a/{id}'],
  ]);
});
