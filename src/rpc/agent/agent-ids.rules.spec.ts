import { expect, it } from 'vitest';
import { idOf, kindsToTry, readId } from './agent-ids.rules.js';

const UUID = '0198f2c4-7d3e-7abc-8def-0123456789ab';
const CHUNK = 'chk_0123456789abcdef0123456789abcdef';

it('gives out ids that say what they name, and reads them back', () => {
  expect(idOf('passage', CHUNK)).toBe(CHUNK);
  expect(idOf('document', 'notes/a/b')).toBe('notes/a/b');
  expect(idOf('fact', UUID)).toBe(`fact:${UUID}`);
  for (const [kind, id] of [
    ['passage', CHUNK],
    ['document', 'notes/a/b'],
    ['answer', 'a:b'],
    ['receipt', UUID],
  ] as const)
    expect(readId(idOf(kind, id))).toEqual({ kind, id });
});

it('reads the kind of an id by its form where it has no name', () => {
  expect(readId(`blake3:${'a'.repeat(64)}`).kind).toBe('receipt');
  expect(readId(UUID)).toEqual({ kind: undefined, id: UUID });
  expect(readId('person:ada')).toEqual({ kind: undefined, id: 'person:ada' });
});

it('takes a UUID for whatever has one, and a name such as person:ada for nothing that is kept', () => {
  expect(kindsToTry(UUID)).toEqual(['fact', 'answer', 'work']);
  expect(kindsToTry('my-answer')).toEqual(['answer']);
  expect(kindsToTry('person:ada')).toEqual([]);
});
