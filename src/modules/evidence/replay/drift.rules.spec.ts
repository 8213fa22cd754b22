import { describe, expect, it } from 'vitest';
import { blake3, blake3Digest } from '../../../evidence/digest.js';
import type { ResolvedCitation, VisibleChunk } from '../../knowledge/citations/citations.types.js';
import type { PassageNow } from '../../knowledge/citations/source-states.types.js';
import type { Passage } from '../../knowledge/retrieval/retrieval.types.js';
import { placePassages, type Present } from './drift.rules.js';

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
  shareability: null,
});
const cite = (chunk: VisibleChunk): ResolvedCitation => ({ chunk, start: null, end: null, quote: null, note: null });
const holds = (chunk: VisibleChunk): PassageNow => ({ state: 'holds', version: 1, standing: chunk, drift: [] });
const drifted: PassageNow = { state: 'drifted', version: 2, standing: null, drift: ['source_changed'] };
const HELD = { ok: true, detail: '' };
const present = (more: Partial<Present>): Present => ({
  passages: [],
  chunks: new Map(),
  contents: [HELD, HELD, HELD],
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
  const chunk = chunkOf('words');

  it('is intact when the text under its id still has the digest', () => {
    const intact = (now: VisibleChunk | undefined, passage = drifted) => {
      const chunks = new Map(now ? [[chunk.chunkId, now]] : []);
      return placePassages([cite(chunk)], null, present({ passages: [passage], chunks }))[0]!.isSourceIntact;
    };
    expect(intact(chunk)).toBe(true);
    expect(intact({ ...chunk, content: 'others' })).toBe(false);
    expect(intact({ ...chunk, ownerTenantId: 'other' })).toBeNull();
    expect(intact(undefined)).toBeNull();
    expect(intact(undefined, holds(chunk))).toBe(true);
    expect(intact(chunk, { ...holds(chunk), state: 'unknown' })).toBe(false);
  });

  it('is found again by its words, and is reported where it has another place or none', () => {
    const [a, b] = [chunkOf('a'), chunkOf('b')];
    const places = (ranking: Passage[] | null) =>
      placePassages([cite(a), cite(b)], searchFor(a, b), present({ passages: [holds(a), holds(b)], ranking }));
    const drifts = (ranking: Passage[] | null) => places(ranking).map(({ drift }) => drift);
    expect(drifts([found('a'), found('b')])).toEqual([[], []]);
    expect(drifts([found('a'), found('x'), found('b')])).toEqual([[], ['re_ranked']]);
    expect(places([found('b')]).map(({ rank }) => rank)).toEqual([null, 1]);
    expect(drifts(null)).toEqual([[], []]);
  });

  it('that has drifted has done so by that alone, and one that was not found has no place', () => {
    const ranking = [found('x'), found('words')];
    const [place] = placePassages([cite(chunk)], searchFor(chunk), present({ passages: [drifted], ranking }));
    expect(place).toMatchObject({ ...drifted, recordedRank: 1, rank: 2 });
    const [unfound] = placePassages([cite(chunk)], null, present({ passages: [holds(chunk)], ranking }));
    expect(unfound).toMatchObject({ recordedRank: null, rank: null, drift: [] });
  });
});
