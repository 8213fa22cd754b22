import { expect, it } from 'vitest';
import { documentIdOf, readDocumentId } from './document-ids.js';

it.each([
  ['notes', 'a/b', 'notes/a/b'],
  ['p/q', 'r', 'p%2Fq/r'],
  ['p', 'q/r', 'p/q/r'],
  ['a b/c', 'x/ü?#&%.md', 'a b%2Fc/x/ü?#&%.md'],
  ['100%', 'yes', '100%/yes'],
  ['50%/60%', '%2F', '50%25%2F60%25/%2F'],
  ['p%2Fq', 'r', 'p%252Fq/r'],
  ['p%2fq', 'r', 'p%252fq/r'],
])('names the document of corpus %s and name %s alone: %s', (corpusId, docId, id) => {
  expect(documentIdOf({ corpusId, docId })).toBe(id);
  expect(readDocumentId(id)).toEqual({ corpusId, docId });
});

it('there is no id without both names', () => {
  expect(['notes', 'notes/', '/a', ''].map(readDocumentId)).toEqual([undefined, undefined, undefined, undefined]);
});
