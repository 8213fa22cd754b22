import { describe, expect, it } from 'vitest';
import { changedPart } from './changed-part.rules.js';

describe('the changed part of a text', () => {
  it.each([
    ['a\n\nold\n\nb', 'a\n\nnew\n\nb', '[...]\nold\n[...]', '[...]\nnew\n[...]'],
    ['old', 'new', 'old', 'new'],
    ['a\nold', 'a\nnew', '[...]\nold', '[...]\nnew'],
    ['a\nb', 'a\nmore\nb', 'a\n[...]', 'a\nmore\n[...]'],
    ['b', 'more\nb', 'b', 'more\nb'],
    ['a\nb\nc', 'a\nc', 'a\nb\n[...]', 'a\n[...]'],
    ['same', 'same', 'same', 'same'],
  ])('of %j, which is now %j', (before, now, old, fresh) => {
    expect(changedPart(before, now)).toEqual({ before: old, now: fresh });
  });
});
