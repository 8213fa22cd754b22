import { describe, expect, it } from 'vitest';
import { blake3Digest } from '../../../../evidence/digest.js';
import type { VisibleChunk } from '../../citations/citations.types.js';
import type { PassageNow } from '../../citations/source-states.types.js';
import { chargedModeOf, checkAnswer, checkChunk, checkQuotes, conclude, failed } from './proof-checks.rules.js';
import type { Check, CheckedChunk, ExpectedChunk, FoundChunk, Grounds } from './proof-job.types.js';

const expected = (members: Partial<ExpectedChunk> = {}): ExpectedChunk => ({
  chunkId: 'chk_1',
  ownerTenantId: 'acme',
  corpusId: 'handbook',
  docId: 'leave',
  docVersion: 3,
  contentHash: blake3Digest('text'),
  quote: null,
  recordedRank: null,
  ...members,
});
const chunk = (members: Partial<VisibleChunk> = {}): VisibleChunk => ({
  ...expected(),
  title: null,
  url: null,
  content: 'text',
  current: true,
  shareability: 'owner_only',
  ...members,
});
const now = (members: Partial<PassageNow> = {}): PassageNow => ({
  state: 'holds',
  version: 3,
  standing: chunk(),
  drift: [],
  ...members,
});
const DRIFTED = now({ state: 'drifted', version: 4, standing: null, drift: ['source_changed'] });
const GONE = now({ state: 'unavailable', version: null, standing: null, drift: ['source_deleted'] });
const found = (members: Partial<FoundChunk> = {}): FoundChunk => ({
  now: now(),
  recorded: chunk(),
  content: { ok: true, detail: 'as its receipt says' },
  entitledAt: null,
  place: null,
  ...members,
});
const OWN = { tenantId: 'acme', isRanked: false };
const ALTERED = chunk({ content: 'texT' });
const OTHER_TEXT = chunk({ content: 'x', contentHash: blake3Digest('x') });

const resultsOf = (checks: readonly Check[]) =>
  checks.filter(({ result }) => result !== 'ok').map(({ name, result }) => `${name} ${result}`);
function judge(seen: FoundChunk, chunkExpected = expected(), context = OWN) {
  const { verdict, checks } = conclude([checkChunk(chunkExpected, seen, context)], []);
  return { verdict, results: resultsOf(checks) };
}

describe('a passage of the tenant', () => {
  it.each<[string, FoundChunk, string, string[]]>([
    ['holds as recorded', found(), 'holds', []],
    [
      'holds in a newer version',
      found({ now: now({ version: 4, standing: chunk({ chunkId: 'chk_2' }) }) }),
      'holds',
      [],
    ],
    ['has drifted', found({ now: DRIFTED }), 'drifted', ['current failed']],
    ['is deleted', found({ now: GONE }), 'unavailable', ['current failed']],
    [
      'is gone without a trace',
      found({ now: GONE, recorded: undefined }),
      'broken',
      ['exists failed', 'hash not_applicable', 'current failed'],
    ],
    ['has another text', found({ recorded: ALTERED }), 'broken', ['hash failed']],
    ['has another text and digest', found({ recorded: OTHER_TEXT }), 'broken', ['hash failed']],
    ['has another digest', found({ recorded: chunk({ contentHash: blake3Digest('x') }) }), 'broken', ['hash failed']],
    [
      'stands with another text',
      found({ now: now({ state: 'unknown', standing: ALTERED }) }),
      'broken',
      ['hash failed', 'current not_applicable'],
    ],
    [
      'was replaced and altered',
      found({ now: DRIFTED, recorded: ALTERED }),
      'broken',
      ['hash failed', 'current failed'],
    ],
  ])('that %s', (_what, seen, verdict, results) => {
    expect(judge(seen)).toEqual({ verdict, results });
  });
});

describe('a text that its ingest contradicts', () => {
  const contradicted = found({ content: { ok: false, detail: 'its passages are others' } });

  it('breaks the proof, whoever owns it, though hash and place hold', () => {
    const broken = { verdict: 'broken', results: ['content failed'] };
    expect(judge(contradicted)).toEqual(broken);
    expect(judge(contradicted, expected(), { tenantId: 'reader', isRanked: false })).toEqual(broken);
  });
});

describe('an answer', () => {
  const cited = (text: string) => ({
    answer: {
      answerId: 'a',
      version: 1,
      agentId: 'g',
      answerText: 't',
      metadata: null,
      retrieval: null,
      receiptId: 'r',
      recordedBy: 'key:1',
      recordedAt: new Date(),
    },
    citations: [{ chunk: chunk({ content: text }), start: null, end: null, quote: null, note: null }],
  });

  it.each([
    ['OK', true, 'text', 'ok'],
    ['OK', false, 'text', 'failed'],
    ['CHAIN_BROKEN', true, 'text', 'failed'],
    ['OK', true, 'a text that was put in its place', 'failed'],
  ])('with receipt %s, as attested %s, citing %j: %s', (receiptCheck, isAsAttested, text, result) => {
    expect(checkAnswer({ receiptCheck, isAsAttested }, cited(text)).result).toBe(result);
  });
});

describe('a passage of another tenant', () => {
  const reader = { tenantId: 'reader', isRanked: false };
  const visible = (seen: FoundChunk, members: Partial<ExpectedChunk> = {}) =>
    checkChunk(expected(members), seen, reader).checks[1]!.detail;

  it('that cannot be seen is unavailable, and nothing is said of whether it exists', () => {
    const lost = now({ state: 'unavailable', version: null, standing: null, drift: ['access_lost'] });
    expect(judge(found({ now: lost, recorded: undefined }), expected(), reader)).toEqual({
      verdict: 'unavailable',
      results: [
        'exists not_applicable',
        'visible failed',
        'hash not_applicable',
        'content not_applicable',
        'current not_applicable',
      ],
    });
    expect(visible(found({ now: lost, recorded: undefined }), { shareability: 'public_safe' })).toBe(
      'deleted, or no longer shared with this tenant; public_safe when it was recorded',
    );
  });

  it('is seen by its shareability, or by an entitlement and its time', () => {
    expect(visible(found({ recorded: chunk({ shareability: 'public_safe' }) }))).toBe('public_safe');
    const entitled = { recorded: chunk({ shareability: 'entitled_only' }), entitledAt: new Date('2026-11-01') };
    expect(visible(found(entitled), { shareability: 'entitled_only' })).toBe(
      'entitled_only, by the entitlement of 2026-11-01T00:00:00.000Z; entitled_only when it was recorded',
    );
  });

  it('is there under another id once its version was replaced', () => {
    const replaced = found({ recorded: undefined, now: now({ standing: chunk({ chunkId: 'chk_2', docVersion: 4 }) }) });
    expect(judge(replaced, expected(), reader)).toEqual({ verdict: 'holds', results: [] });
    expect(checkChunk(expected(), replaced, reader).checks[0]!.detail).toBe('as passage chk_2 of version 4');
  });
});

describe('the place of a passage', () => {
  const ranked = { tenantId: 'acme', isRanked: true };
  it.each<[string, number | null, FoundChunk['place'], string[], string | undefined]>([
    ['as before', 1, { rank: 1, score: 2 }, [], 'at place 1, as recorded'],
    ['elsewhere', 2, { rank: 1, score: 2 }, ['re_ranked'], 'at place 1, was at 2'],
    ['none any more', 1, null, ['re_ranked'], 'was at place 1, is not among the results now'],
    ['none before', null, { rank: 1, score: 2 }, [], undefined],
  ])('that is %s is reported and breaks nothing', (_what, recordedRank, place, drift, detail) => {
    const checked = checkChunk(expected({ recordedRank }), found({ place }), ranked);
    expect(checked.drift).toEqual(drift);
    expect(checked.checks.find(({ name }) => name === 'ranking')?.detail).toBe(detail);
    expect(conclude([checked], []).verdict).toBe('holds');
  });
});

describe('the words of an answer', () => {
  const grounds = (answerText: string | null, ...quotes: (string | null)[]): Grounds => ({
    answerText,
    chunks: quotes.map((quote) => expected({ quote })),
    search: null,
    receiptIds: [],
  });
  it.each<[string, Grounds, string]>([
    ['that has every quote', grounds('They have "25  Days" of\nleave.', '25 days', 'leave'), 'ok'],
    ['that lacks a quote', grounds('They have leave.', '25 days', 'leave'), 'failed'],
    ['that is not recorded', grounds(null, '25 days'), 'not_applicable'],
    ['whose citations quote nothing', grounds('They have leave.', null), 'not_applicable'],
  ])('%s', (_what, given, result) => {
    expect(checkQuotes(given).result).toBe(result);
  });
});

describe('what is charged', () => {
  const search = { retrievalId: 'r' } as Grounds['search'];
  it.each([
    ['light', search, ['r'], 'light'],
    ['verified', search, [], 'verified'],
    ['verified', null, ['r'], 'light'],
    ['audit', search, ['r'], 'audit'],
    ['audit', null, ['r'], 'audit'],
    ['audit', search, [], 'verified'],
    ['audit', null, [], 'light'],
  ] as const)('for %s is what it could check', (mode, behind, receipts, charged) => {
    expect(chargedModeOf(mode, { search: behind, receiptIds: [...receipts] })).toBe(charged);
  });
});

describe('concluding', () => {
  const checked = (chunkId: string, seen: FoundChunk): CheckedChunk => checkChunk(expected({ chunkId }), seen, OWN);

  it('sums up by check, names the first passage that fails, and each category once', () => {
    const drifted = found({ now: DRIFTED });
    const chunks = [checked('a', found()), checked('b', drifted), checked('c', drifted)];
    const { checks, drift } = conclude(chunks, []);
    expect(checks.map(({ name, result, detail }) => [name, result, detail])).toEqual([
      ['exists', 'ok', '3 of 3 passages'],
      ['visible', 'ok', '3 of 3 passages'],
      ['hash', 'ok', '3 of 3 passages'],
      ['content', 'ok', '3 of 3 passages'],
      ['current', 'failed', 'passage b: version 3 was replaced; version 4 does not have the text; and 1 more'],
    ]);
    expect(drift).toEqual(['source_changed']);
  });

  it('is broken by a check of the whole', () => {
    const whole = [failed('ledger', 'gone')];
    expect(conclude([], whole)).toEqual({ chunks: [], checks: whole, drift: [], verdict: 'broken' });
  });
});
