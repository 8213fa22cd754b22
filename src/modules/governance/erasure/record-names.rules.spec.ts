import { describe, expect, it } from 'vitest';
import { makeMatcher, namesIn } from './record-names.rules.js';

describe('what a record names', () => {
  it.each<[unknown, string[]]>([
    ['ada', ['ada']],
    [7, []],
    [null, []],
    [Uint8Array.of(1, 2), []],
    [
      ['ada', { note: 'x' }],
      ['ada', 'note', 'x'],
    ],
    [{ entity: 'user:ada' }, ['entity\u0001user:ada', 'entity', 'user:ada']],
    [{ entity: 5 }, ['entity']],
    [{ corpus_id: 'c', doc_id: 'd' }, ['document\u0001c\u0001d', 'corpus_id', 'c', 'doc_id', 'd']],
    [{ corpusId: 'c', docId: 'd' }, ['document\u0001c\u0001d', 'corpusId', 'c', 'docId', 'd']],
    [{ corpus_id: 'c' }, ['corpus_id', 'c']],
    [{ kind: 'person', id: 'ada' }, ['node\u0001person\u0001ada', 'kind', 'person', 'id', 'ada']],
    [{ stream_type: 't', stream_id: 's' }, ['stream\u0001t\u0001s', 'stream_type', 't', 'stream_id', 's']],
    [{ answerId: 'a1' }, ['answer\u0001a1', 'answerId', 'a1']],
    [{ actor: 'key:1' }, ['actor', 'by\u0001key:1', 'key:1']],
  ])('%j', (value, names) => {
    expect([...namesIn(value)]).toEqual(names);
  });

  it('of an edge are both of its ends', () => {
    const edge = { from_kind: 'person', from_id: 'ada', to_kind: 'person', to_id: 'bob' };
    expect([...namesIn(edge)]).toEqual(
      expect.arrayContaining(['node\u0001person\u0001ada', 'node\u0001person\u0001bob']),
    );
  });
});

describe('a record is of the subject', () => {
  const isOfSubject = makeMatcher(new Set(['entity\u0001user:ada', 'f1']), { texts: ['Lovelace'] });

  it.each<[unknown, boolean]>([
    [{ body: { entity: 'user:ada' } }, true],
    [{ body: [{ fact: 'f1' }] }, true],
    [{ note: 'by A. Lovelace, 1843' }, true],
    [{ body: { entity: 'user:adam' } }, false],
    [{ name: 'user:ada' }, false],
    [{ note: 'f12' }, false],
  ])('%j: %s', (record, expected) => {
    expect(isOfSubject(record)).toBe(expected);
  });
});
