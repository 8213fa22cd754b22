import { describe, expect, it } from 'vitest';
import { versionsThere } from './engram-history.rules.js';

const history = (text: string) => [...text].map((digest, place) => ({ version: place + 1, digest }));
/** What the tenant has after an import of these. */
const after = (sent: string, had: string, isLive = true): string =>
  had + sent.slice(versionsThere([...sent], history(had), isLive).length);

describe('versionsThere', () => {
  it.each([
    ['ABA', '', 'ABA'],
    ['ABC', 'ABC', 'ABC'],
    ['AA', 'AA', 'AA'],
    ['ABC', 'AB', 'ABC'],
    ['AB', 'ABC', 'ABCB'],
    ['AB', 'B', 'BAB'],
    ['AB', 'X', 'XAB'],
    ['B', 'AB', 'AB'],
  ])('%s into %s makes %s, and nothing more the second time', (sent, had, made) => {
    expect(after(sent, had)).toBe(made);
    expect(after(sent, made)).toBe(made);
  });

  it('stores the last one again where the engram was deleted', () => {
    expect(after('AB', 'AB', false)).toBe('ABB');
  });

  it('names the versions of the tenant, which a deletion counts too', () => {
    const had = [
      { version: 1, digest: 'A' },
      { version: 3, digest: 'B' },
    ];
    expect(versionsThere(['A', 'B'], had, true)).toEqual([1, 3]);
  });
});
