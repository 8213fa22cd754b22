import { describe, expect, it } from 'vitest';
import { blake3, blake3Digest } from '../../../evidence/digest.js';
import type { ResolvedCitation, VisibleChunk } from '../../knowledge/citations/citations.types.js';
import { documentKeyOf } from '../../knowledge/citations/present-documents.views.js';
import type { Passage } from '../../knowledge/retrieval/retrieval.types.js';
import { categoriesOf, driftOf, placePassages, type Present } from './drift.rules.js';

const chunkOf = (content: string, owner = 'acme'): VisibleChunk => ({
  chunkId: `chk_${content}`,
  ownerTenantId: owner,
  corpusId: 'c',
  docId: 'd',
  docVersion: 1,
  title: null,
  url: null,
  content,
  contentHash: blake3Digest(content),
  current: true,
});
const cite = (chunk: VisibleChunk): ResolvedCitation => ({ chunk, start: null, end: null, quote: null, note: null });
const documentOf = (chunk: VisibleChunk, version: number, ...texts: string[]) =>
  new Map([
    [documentKeyOf(chunk), { ...chunk, version, hashes: new Set(texts.map((text) => blake3Digest(text).slice(7))) }],
  ]);
const present = (more: Partial<Present>): Present => ({
  tenantId: 'acme',
  documents: new Map(),
  chunks: new Map(),
  ranking: null,
  ...more,
});
const found = (content: string): Passage => ({
  ...chunkOf(content),
  chunkId: 'another id',
  version: 2,
  contentHash: blake3(content),
  score: 1,
  scoreComponents: { vector: 0, lexical: 1, recency: 0, laneWeight: 0 },
});
const searchFor = (...chunks: VisibleChunk[]) => ({
  retrievalId: 'r',
  lane: 'light' as const,
  request: { query: 'q', corpusIds: [], includeCommons: false, limit: 5, day: 1 },
  results: chunks.map((chunk) => ({ ...chunk, version: 1, score: 1 })),
  receiptId: null,
  executionReceiptId: null,
});

describe('a cited passage', () => {
  it('stands as long as its document has its words, whichever version that is', () => {
    const chunk = chunkOf('words');
    const [place] = placePassages([cite(chunk)], null, present({ documents: documentOf(chunk, 7, 'other', 'words') }));
    expect(place).toEqual({ state: 'stands', currentVersion: 7, recordedRank: null, rank: null, isSourceIntact: null });
    const [changed] = placePassages([cite(chunk)], null, present({ documents: documentOf(chunk, 7, 'other') }));
    expect(changed).toMatchObject({ state: 'source_changed', currentVersion: 7 });
  });

  it('that is gone was deleted if it was an own one, and is out of reach otherwise', () => {
    const places = placePassages([cite(chunkOf('a')), cite(chunkOf('b', 'other'))], null, present({}));
    expect(places.map(({ state }) => state)).toEqual(['source_deleted', 'access_lost']);
  });

  it('is intact when the text under its id still has the digest', () => {
    const chunk = chunkOf('words');
    const intact = (now: VisibleChunk) =>
      placePassages([cite(chunk)], null, present({ chunks: new Map([[chunk.chunkId, now]]) }))[0]!.isSourceIntact;
    expect(intact(chunk)).toBe(true);
    expect(intact({ ...chunk, content: 'others' })).toBe(false);
    expect(intact({ ...chunk, ownerTenantId: 'other' })).toBeNull();
  });

  it('is found again by its words, and has drifted when it is at another place or none', () => {
    const [a, b] = [chunkOf('a'), chunkOf('b')];
    const documents = documentOf(a, 1, 'a', 'b');
    const places = (ranking: Passage[] | null) =>
      placePassages([cite(a), cite(b)], searchFor(a, b), present({ documents, ranking }));
    const drifts = (ranking: Passage[] | null) => places(ranking).map((place) => driftOf(place, ranking !== null));
    expect(drifts([found('a'), found('b')])).toEqual([[], []]);
    expect(drifts([found('a'), found('x'), found('b')])).toEqual([[], ['re_ranked']]);
    expect(places([found('b')]).map(({ rank }) => rank)).toEqual([null, 1]);
    expect(drifts(null)).toEqual([[], []]);
  });

  it('that does not stand has drifted by that alone', () => {
    const place = {
      state: 'source_changed' as const,
      currentVersion: 2,
      recordedRank: 1,
      rank: 4,
      isSourceIntact: true,
    };
    expect(driftOf(place, true)).toEqual(['source_changed']);
    expect(categoriesOf(['access_lost', 're_ranked', 'source_changed', 're_ranked'])).toEqual([
      'source_changed',
      're_ranked',
      'access_lost',
    ]);
  });
});
