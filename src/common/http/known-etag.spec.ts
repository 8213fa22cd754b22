import { expect, it } from 'vitest';
import { isKnown } from './known-etag.js';

it('an answer is not sent again to a client that has it', () => {
  expect(isKnown('W/"a", "b"', '"a"')).toBe(true);
  expect(isKnown('*', '"a"')).toBe(true);
  expect(isKnown('"b"', '"a"')).toBe(false);
  expect(isKnown(undefined, '"a"')).toBe(false);
});
