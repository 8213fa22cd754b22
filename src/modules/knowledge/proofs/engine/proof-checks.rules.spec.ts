import { describe, expect, it } from 'vitest';
import { blake3Digest } from '../../../../evidence/digest.js';
import { checkChunks, conclude, type PresentChunk, type Ranking } from './proof-checks.rules.js';
import type { ExpectedChunk } from './proof-job.types.js';

const expected = (members: Partial<ExpectedChunk> = {}): ExpectedChunk => ({
  chunkId: 'chk_1',
  ownerTenantId: 'acme',
  corpusId: 'handbook',
  docId: 'leave',
  docVersion: 3,
  title: null,
  url: null,
  contentHash: blake3Digest('text'),
  quote: null,
  recordedRank: null,
  ...members,
});
const present = (members: Partial<PresentChunk> = {}): PresentChunk => ({
  content: 'text',
  contentHash: blake3Digest('text'),
  current: true,
  ...members,
});
const judge = (chunk: ExpectedChunk, found: PresentChunk | undefined, ranking: Ranking | null = null) => {
  const findings = conclude(checkChunks([chunk], new Map(found ? [[chunk.chunkId, found]] : []), ranking), []);
  const failed = findings.checks.filter(({ ok }) => !ok).map(({ name }) => name);
  return { verdict: findings.verdict, failed };
};

describe('checking a passage', () => {
  it.each<[string, ExpectedChunk, PresentChunk | undefined, Ranking | null, string, string[]]>([
    ['holds as recorded', expected(), present(), null, 'holds', []],
    ['is gone', expected(), undefined, null, 'broken', ['exists', 'visible']],
    ['has another text', expected(), present({ content: 'texT' }), null, 'broken', ['hash']],
    [
      'has another text and digest',
      expected(),
      present({ content: 'x', contentHash: blake3Digest('x') }),
      null,
      'broken',
      ['hash'],
    ],
    ['has another digest', expected(), present({ contentHash: blake3Digest('x') }), null, 'broken', ['hash']],
    ['was replaced', expected(), present({ current: false }), null, 'drifted', ['current']],
    [
      'was replaced and altered',
      expected(),
      present({ current: false, content: 'x' }),
      null,
      'broken',
      ['hash', 'current'],
    ],
    ['ranks as before', expected({ recordedRank: 1 }), present(), [{ chunkId: 'chk_1', score: 2 }], 'holds', []],
    ['ranks elsewhere', expected({ recordedRank: 2 }), present(), [{ chunkId: 'chk_1', score: 2 }], 'holds', []],
    [
      'ranks no more',
      expected({ recordedRank: 1 }),
      present(),
      [{ chunkId: 'chk_2', score: 2 }],
      'drifted',
      ['ranking'],
    ],
    ['never ranked', expected(), present(), [{ chunkId: 'chk_2', score: 2 }], 'holds', []],
  ])('that %s', (_what, chunk, found, ranking, verdict, failed) => {
    expect(judge(chunk, found, ranking)).toEqual({ verdict, failed });
  });

  it('says at which place it ranks now', () => {
    const ranking = [
      { chunkId: 'chk_0', score: 3 },
      { chunkId: 'chk_1', score: 2 },
    ];
    const [chunk] = checkChunks([expected({ recordedRank: 1 })], new Map([['chk_1', present()]]), ranking);
    expect([chunk!.rank, chunk!.score, chunk!.checks.at(-1)]).toEqual([
      2,
      2,
      { name: 'ranking', ok: true, detail: 'at place 2, was at 1' },
    ]);
  });
});

describe('concluding', () => {
  it('sums up by check and names the first passage that fails', () => {
    const chunks = ['a', 'b', 'c'].map((chunkId) => expected({ chunkId }));
    const found = new Map([
      ['a', present()],
      ['b', present({ current: false })],
      ['c', present({ current: false })],
    ]);
    expect(conclude(checkChunks(chunks, found, null), []).checks).toEqual([
      { name: 'exists', ok: true, detail: '3 of 3 passages' },
      { name: 'visible', ok: true, detail: '3 of 3 passages' },
      { name: 'hash', ok: true, detail: '3 of 3 passages' },
      { name: 'current', ok: false, detail: 'passage b: version 3 was replaced or deleted; and 1 more' },
    ]);
  });

  it('is broken by a check of the whole', () => {
    const whole = [{ name: 'ledger', ok: false, detail: 'gone' }];
    expect(conclude([], whole)).toEqual({ chunks: [], checks: whole, verdict: 'broken' });
  });
});
