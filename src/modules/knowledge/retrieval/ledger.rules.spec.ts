import { expect, test } from 'vitest';
import { sha256Digest } from '../../../evidence/digest.js';
import type { Hit } from '../../../search/collection.js';
import { linesOf, openLedger } from './ledger.rules.js';

const hit = (chunkId: string, score: number) =>
  ({ chunkId, score, vector: 0.125, lexical: 0.1 + 0.2, recency: 1e-7, laneWeight: 0 }) as Hit;
const digest = Buffer.alloc(32, 1);

test('candidates are read as they were written', () => {
  const lines = linesOf([hit('one', 7.300000000000001), hit('two', 5e-324)]);
  expect(lines).toBe(
    'one\t7.300000000000001\t0.125\t0.30000000000000004\t1e-7\t0\ntwo\t5e-324\t0.125\t0.30000000000000004\t1e-7\t0\n',
  );
  const row = { candidate_count: 9, candidates_digest: digest, candidates: null, candidate_lines: lines };
  expect(openLedger(row)).toEqual({
    candidateCount: 9,
    candidatesDigest: `sha256:${'01'.repeat(32)}`,
    candidates: [
      { chunkId: 'one', score: 7.300000000000001 },
      { chunkId: 'two', score: 5e-324 },
    ],
    linesDigest: sha256Digest(lines),
  });
});

test('a ledger of no candidates has no line', () => {
  const row = { candidate_count: 0, candidates_digest: digest, candidates: null, candidate_lines: linesOf([]) };
  expect(openLedger(row).candidates).toEqual([]);
});

test('an earlier ledger has candidates and the digest of its time', () => {
  const candidates = [{ chunkId: 'one', score: 2 }];
  const row = { candidate_count: 1, candidates_digest: digest, candidates, candidate_lines: null };
  expect(openLedger(row)).toEqual({ candidateCount: 1, candidatesDigest: `blake3:${'01'.repeat(32)}`, candidates });
});
