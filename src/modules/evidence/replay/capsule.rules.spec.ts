import { describe, expect, it } from 'vitest';
import { blake3Digest } from '../../../evidence/digest.js';
import { encodeCanonical } from '../../../evidence/cbor.js';
import type { CitedAnswer } from '../../knowledge/citations/answers.service.js';
import type { ResolvedCitation } from '../../knowledge/citations/citations.types.js';
import { capsuleHashOf, capsuleOf, holds, sourceOf } from './capsule.rules.js';

const WORDS = 'Staff have 25 days.';
const cited = (more: Partial<ResolvedCitation> = {}, content = WORDS, owner = 'acme'): ResolvedCitation => ({
  chunk: {
    ...{ chunkId: 'chk_1', ownerTenantId: owner, corpusId: 'handbook', docId: 'leave', docVersion: 3 },
    ...{
      title: 'A title',
      url: 'https://example.com/',
      content,
      contentHash: blake3Digest(WORDS),
      current: true,
      shareability: null,
    },
  },
  start: null,
  end: null,
  quote: null,
  note: null,
  ...more,
});
const recorded = (citations: ResolvedCitation[], answer: Partial<CitedAnswer['answer']> = {}): CitedAnswer => ({
  answer: {
    ...{ answerId: 'answer-1', version: 2, agentId: 'agent', answerText: 'An answer.', receiptId: 'r-1' },
    ...{ recordedBy: 'key:1', recordedAt: new Date('2026-11-20T10:00:00.123Z'), retrieval: null, metadata: null },
    ...answer,
  },
  citations,
});
const QUOTED = { start: 11, end: 18, quote: '25 days', note: 'A note.' };

describe('the capsule of an answer', () => {
  it('has ids, versions and digests, and no text', () => {
    const capsule = capsuleOf(recorded([cited(QUOTED)]), 'acme');
    expect(capsule).toMatchObject({
      ...{ schema: 'svc.answer-capsule/1', tenant_id: 'acme', answer_id: 'answer-1', version: 2, receipt_id: 'r-1' },
      ...{ recorded_at: '2026-11-20T10:00:00.123Z', answer_hash: blake3Digest('An answer.'), search: null },
      citations: [
        {
          ...{ ordinal: 0, chunk_id: 'chk_1', doc_version: 3, source: 'tenant', start: 11, end: 18 },
          ...{ quote_hash: blake3Digest('25 days'), note_hash: blake3Digest('A note.') },
        },
      ],
    });
    const written = JSON.stringify(capsule);
    for (const text of [WORDS, 'An answer.', '25 days', 'A note.', 'A title', 'example.com'])
      expect(written).not.toContain(text);
  });

  it('has no digest of what was not recorded', () => {
    const { answer_hash, citations } = capsuleOf(recorded([cited()], { answerText: null }), 'acme');
    expect([answer_hash, citations[0]!.quote_hash, citations[0]!.note_hash]).toEqual([null, null, null]);
  });

  it('names the search by its ids and receipts, without its query and results', () => {
    const retrieval = {
      ...{ retrievalId: 'ret-1', lane: 'audit' as const, receiptId: 'blake3:aa', executionReceiptId: 'r-2' },
      ...{ request: { query: 'secret', corpusIds: [], includeCommons: false, limit: 5, day: 1 }, results: [] },
    };
    expect(capsuleOf(recorded([], { retrieval }), 'acme').search).toEqual({
      ...{ retrieval_id: 'ret-1', lane: 'audit', receipt_id: 'blake3:aa', execution_receipt_id: 'r-2' },
    });
  });

  it('does not name the owner of a shared passage', () => {
    const shared = cited({}, WORDS, 'publisher');
    expect([sourceOf(shared.chunk, 'acme'), sourceOf(shared.chunk, 'publisher')]).toEqual(['commons', 'tenant']);
    expect(JSON.stringify(capsuleOf(recorded([shared]), 'acme'))).not.toContain('publisher');
  });

  it('has the digest of all its other members, in whatever order they stand', () => {
    const { capsule_hash, ...others } = capsuleOf(recorded([cited(QUOTED)]), 'acme');
    const turned = Object.fromEntries(Object.entries(others).reverse()) as typeof others;
    expect([capsuleHashOf(others), capsuleHashOf(turned)]).toEqual([capsule_hash, capsule_hash]);
    const bytes = encodeCanonical(JSON.parse(JSON.stringify(others)) as Record<string, string>);
    expect(capsule_hash).toBe(blake3Digest(bytes));
  });

  it('has another digest when anything that is bound is another', () => {
    const hashes = [
      capsuleOf(recorded([cited(QUOTED)]), 'acme'),
      capsuleOf(recorded([cited(QUOTED)]), 'other'),
      capsuleOf(recorded([cited(QUOTED)], { answerText: 'Another.' }), 'acme'),
      capsuleOf(recorded([cited(QUOTED)], { receiptId: 'r-9' }), 'acme'),
      capsuleOf(recorded([cited({ ...QUOTED, quote: '25 dayz' })]), 'acme'),
      capsuleOf(recorded([cited({ ...QUOTED, note: null })]), 'acme'),
      capsuleOf(recorded([cited(QUOTED), cited()]), 'acme'),
      capsuleOf(recorded([cited(), cited(QUOTED)]), 'acme'),
    ].map(({ capsule_hash }) => capsule_hash);
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});

describe('what was recorded of a citation', () => {
  it.each<[string, ResolvedCitation, boolean, boolean]>([
    ['a whole passage', cited(), true, true],
    ['words at their place', cited(QUOTED), true, true],
    ['another text', cited({}, 'Staff have 52 days.'), false, true],
    ['another text under the words', cited(QUOTED, 'Staff have 52 days.'), false, false],
    ['words one place off', cited({ ...QUOTED, start: 12, end: 19 }), true, false],
    ['words that begin there and go on', cited({ ...QUOTED, end: 19 }), true, false],
  ])('holds or not: %s', (_what, citation, hash, quote) => {
    expect(holds(citation)).toEqual({ hash, quote });
  });

  it('counts in UTF-16 code units', () => {
    const content = '🦄 25 days';
    expect(holds(cited({ start: 3, end: 10, quote: '25 days' }, content)).quote).toBe(true);
    expect(holds(cited({ start: 2, end: 9, quote: '25 days' }, content)).quote).toBe(false);
  });
});
