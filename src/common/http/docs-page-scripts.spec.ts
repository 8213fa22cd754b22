import { expect, it } from 'vitest';
import { NEW_KEY } from '../fields/example-values.js';
import { replaceIdempotencyKey } from './docs-page-scripts.js';

const sent = (key: string) =>
  replaceIdempotencyKey({ headers: { 'X-Idempotency-Key': key } }).headers['X-Idempotency-Key'];

it('the prefilled key is another one with each request, and one that was typed stays', () => {
  expect(sent(NEW_KEY)).toMatch(/^[0-9a-f]{32}$/);
  expect(sent(NEW_KEY)).not.toBe(sent(NEW_KEY));
  expect(sent('typed-by-hand')).toBe('typed-by-hand');
});
