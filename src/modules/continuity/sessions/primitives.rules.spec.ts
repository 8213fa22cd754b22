import { describe, expect, it } from 'vitest';
import type { PrimitiveSent } from './primitives.dto.js';
import { changeOf, issueWith, MAX_DATA_BYTES } from './primitives.rules.js';

const sent = (members: Partial<PrimitiveSent>): PrimitiveSent => ({ kind: 'goal', name: 'n', ...members });

describe('a primitive that was sent', () => {
  it.each<[Partial<PrimitiveSent>, string | undefined]>([
    [{ content: { text: 'x' } }, undefined],
    [{ content: { data: {} } }, undefined],
    [{ content: { text: 'x' }, retired: false, expectedVersion: 0 }, undefined],
    [{ retired: true, expectedVersion: 1 }, undefined],
    [{ content: { text: 'last words' }, retired: true, expectedVersion: 1 }, undefined],
    [{ content: { data: { x: 'x'.repeat(MAX_DATA_BYTES - 8) } } }, undefined],
    [{ content: { data: { x: 'x'.repeat(MAX_DATA_BYTES - 7) } } }, 'body.content.data'],
    [{ content: { data: { x: 'é'.repeat(MAX_DATA_BYTES / 2) } } }, 'body.content.data'],
    [{}, 'body.content'],
    [{ expectedVersion: 1 }, 'body.content'],
    [{ content: {} }, 'body.content'],
    [{ retired: true }, 'body.expectedVersion'],
    [{ retired: true, expectedVersion: 0, content: { text: 'x' } }, 'body.expectedVersion'],
  ])('%#: is refused where it should be', (members, path) => {
    expect(issueWith(sent(members))?.path).toBe(path);
  });
});

it.each<[boolean | undefined, boolean, string]>([
  [undefined, false, 'created'],
  [false, false, 'replaced'],
  [false, true, 'retired'],
  [true, true, 'retired'],
  [true, false, 'revived'],
])('from retired %s to %s it is %s', (before, retired, change) => {
  expect(changeOf(before, retired)).toBe(change);
});
