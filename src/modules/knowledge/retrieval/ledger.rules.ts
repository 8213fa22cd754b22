import { type Digest, namedDigest, sha256Digest } from '../../../evidence/digest.js';
import type { Hit } from '../../../search/collection.js';
import type { StoredLedger } from './retrieval.types.js';

/** Candidates that a ledger keeps in full; its digest covers all. */
export const LEDGER_CANDIDATES = 1000;

/** A row of retrieval_ledger: it has lines, or candidates where it is older than they are. */
export interface LedgerRow {
  candidate_count: number;
  candidates_digest: Buffer;
  candidates: StoredLedger['candidates'] | null;
  candidate_lines: string | null;
}

/** The candidates that a ledger keeps in full. @param hits best first */
export function linesOf(hits: readonly Hit[]): string {
  let lines = '';
  // Numbers as ECMAScript prints them: the shortest that are read as the same double.
  for (const { chunkId, score, vector, lexical, recency, laneWeight } of hits)
    lines += `${chunkId}\t${score}\t${vector}\t${lexical}\t${recency}\t${laneWeight}\n`;
  return lines;
}

export function openLedger({ candidate_lines: lines, candidates, ...row }: LedgerRow): StoredLedger {
  const candidateCount = row.candidate_count;
  // Before there were lines the digest of all candidates was another one.
  if (lines === null) {
    const candidatesDigest: Digest = namedDigest('blake3', row.candidates_digest);
    return { candidateCount, candidatesDigest, candidates: candidates ?? [] };
  }
  return {
    candidateCount,
    candidatesDigest: namedDigest('sha256', row.candidates_digest),
    candidates: readLines(lines),
    linesDigest: sha256Digest(lines),
  };
}

function readLines(lines: string): StoredLedger['candidates'] {
  return lines
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [chunkId, score] = line.split('\t');
      return { chunkId: chunkId!, score: Number(score) };
    });
}
