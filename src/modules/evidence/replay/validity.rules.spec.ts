import { describe, expect, it } from 'vitest';
import { blake3Digest } from '../../../evidence/digest.js';
import type { CitedAnswer } from '../../knowledge/citations/answers.service.js';
import type { ResolvedCitation, VisibleChunk } from '../../knowledge/citations/citations.types.js';
import type { PlacedPassage } from './replay.types.js';
import { reportValidity, type Findings } from './validity.rules.js';

const cited = (content: string, more: Partial<VisibleChunk> = {}): ResolvedCitation => ({
  chunk: {
    ...{ chunkId: `chk_${content}`, ownerTenantId: 'acme', corpusId: 'handbook', docId: 'leave', docVersion: 1 },
    ...{ title: null, url: null, content, contentHash: blake3Digest(content), current: true, shareability: null },
    ...more,
  },
  ...{ start: null, end: null, quote: null, note: null },
});
const answered = (citations: ResolvedCitation[], version = 1): CitedAnswer => ({
  answer: {
    ...{ answerId: 'answer-1', version, agentId: 'agent', answerText: `Answer ${version}.`, receiptId: `r-${version}` },
    ...{ recordedBy: 'key:1', recordedAt: new Date('2026-11-20T10:00:00Z'), retrieval: null, metadata: null },
  },
  citations,
});
const place = (more: Partial<PlacedPassage> = {}): PlacedPassage => ({
  ...{ state: 'holds', version: 1, standing: null, drift: [], recordedRank: null, rank: null, isSourceIntact: true },
  ...more,
});
const REPEATED = { isBroken: false, detail: 'repeated', profile: 'lexical', ranking: [] };
const NOT_RECORDED = { isBroken: false, detail: 'not recorded', profile: null, ranking: null };
function findings(placed: PlacedPassage[], more: Partial<Findings> = {}): Findings {
  const asked = answered(placed.map((_, i) => cited(`text ${i}`)));
  const attestation = { receiptCheck: 'OK', isAsAttested: true };
  return {
    tenantId: 'acme',
    asked,
    newest: asked,
    attestation,
    search: REPEATED,
    placed,
    placedNewest: placed,
    ...more,
  };
}
const overall = (placed: PlacedPassage[], more: Partial<Findings> = {}) => {
  const report = reportValidity(findings(placed, more));
  return [report.overall, report.stale, report.drift_categories, report.historical_replay_available];
};

const changed = place({ state: 'drifted', version: 2, drift: ['source_changed'] });
const deleted = place({ state: 'unavailable', version: null, drift: ['source_deleted'] });
const lost = place({ state: 'unavailable', version: null, drift: ['access_lost'] });

describe('an answer', () => {
  it('holds while its passages do', () => {
    expect(overall([place()])).toEqual(['holds', false, [], true]);
    expect(overall([])).toEqual(['holds', false, [], true]);
  });

  it('is as the worst of its passages, and names each category once, in their order', () => {
    expect(overall([changed, changed])).toEqual(['drifted', true, ['source_changed'], true]);
    expect(overall([changed, lost])).toEqual(['unavailable', true, ['source_changed', 'access_lost'], true]);
  });

  it('is not stale by what is only reported', () => {
    const reported = ['re_ranked', 'metadata_changed'];
    const moved = place({ drift: ['metadata_changed', 're_ranked'] });
    expect(overall([moved])).toEqual(['holds', false, reported, true]);
    expect(overall([moved, changed])).toEqual(['drifted', true, ['source_changed', ...reported], true]);
  });

  it.each<[string, Partial<Findings>, Partial<PlacedPassage>, boolean]>([
    ['rows that the receipt does not attest', { attestation: { receiptCheck: 'OK', isAsAttested: false } }, {}, false],
    [
      'a receipt that fails its checks',
      { attestation: { receiptCheck: 'CHAIN_BROKEN', isAsAttested: true } },
      {},
      true,
    ],
    ['a text without its digest', { asked: answered([cited('x', { contentHash: blake3Digest('y') })]) }, {}, false],
    [
      'words that do not stand there',
      { asked: answered([{ ...cited('x'), start: 0, end: 1, quote: 'y' }]) },
      {},
      false,
    ],
    ['an index that does not have the text', {}, { isSourceIntact: false }, true],
    ['a search that cannot be done', { search: { ...NOT_RECORDED, isBroken: true } }, {}, true],
  ])('is broken by %s, drifted or not', (_what, more, at, isReplayable) => {
    expect(overall([place(at)], more)).toEqual(['broken', false, [], isReplayable]);
    const gone = { ...deleted, ...at };
    expect(overall([gone], more)).toEqual(['broken', true, ['source_deleted'], isReplayable]);
  });

  it('is not broken by a source that is not there to be looked at', () => {
    expect(overall([place({ isSourceIntact: null })])[0]).toBe('holds');
  });
});

describe('the report', () => {
  it('has each cited passage in its order, then and now', () => {
    const placed = [place(), { ...changed, recordedRank: 3, rank: 1 }];
    const asked = answered([cited('own'), cited('shared', { ownerTenantId: 'publisher', docId: 'pay' })]);
    const { evidence } = reportValidity(findings(placed, { asked, newest: asked }));
    expect(evidence).toMatchObject([
      { ordinal: 0, chunk_id: 'chk_own', source: 'tenant', hash_holds: true, state: 'holds', drift: [] },
      {
        ...{ ordinal: 1, chunk_id: 'chk_shared', source: 'commons', state: 'drifted' },
        ...{ drift: ['source_changed'], recorded_rank: 3, rank: 1 },
      },
    ]);
    expect(JSON.stringify(evidence)).not.toContain('publisher');
  });

  it('has each document once, as its worst passage has it, whichever comes first', () => {
    const stands = place({ version: 2 });
    for (const placed of [
      [changed, stands],
      [stands, changed],
    ])
      expect(reportValidity(findings(placed)).living_objects).toEqual([
        {
          ...{ corpus_id: 'handbook', doc_id: 'leave', source: 'tenant', recorded_version: 1, current_version: 2 },
          state: 'drifted',
        },
      ]);
  });

  it('keeps documents of one name apart by their owners', () => {
    const asked = answered([cited('a'), cited('b', { ownerTenantId: 'publisher' })]);
    const placed = [deleted, place()];
    const { living_objects } = reportValidity(findings(placed, { asked, newest: asked }));
    expect(living_objects.map(({ source, state }) => [source, state])).toEqual([
      ['tenant', 'unavailable'],
      ['commons', 'holds'],
    ]);
  });

  it('says of the newest version what became of its citations, and of the one asked for nothing', () => {
    const newest = answered([cited('a'), cited('b'), cited('c'), cited('d')], 2);
    const placedNewest = [place(), { ...changed, version: 7 }, deleted, lost];
    const { current_answer, historical_answer } = reportValidity(findings([place()], { newest, placedNewest }));
    expect(current_answer).toMatchObject({ version: 2, text: 'Answer 2.', is_historical: false, ranking: 'repeated' });
    expect(current_answer.rendered.split('\n').slice(3)).toEqual([
      '[1] "a" (leave, handbook/leave, version 1)',
      '[2] "b" (leave, handbook/leave, version 1); no longer in the document, which has version 7 now',
      '[3] "c" (leave, handbook/leave, version 1); the document is deleted',
      '[4] "d" (leave, handbook/leave, version 1); no longer shared with this tenant',
    ]);
    expect(historical_answer).toMatchObject({ version: 1, text: 'Answer 1.', receipt_id: 'r-1', as_attested: true });
    expect(historical_answer.rendered).toMatch(/version 1\)$/);
    expect(reportValidity(findings([place()])).current_answer.is_historical).toBe(true);
  });

  it('names the search among what was looked at only where it was done again', () => {
    const modules = ['answers', 'receipts', 'documents'];
    expect(reportValidity(findings([]))).toMatchObject({
      ...{ projection_modules: [...modules, 'search'], semantic_profile: 'lexical' },
    });
    expect(reportValidity(findings([], { search: NOT_RECORDED }))).toMatchObject({
      ...{ projection_modules: modules, semantic_profile: null },
    });
  });
});
