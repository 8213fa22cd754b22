import { blake3Digest, type Digest } from '../../../../evidence/digest.js';
import type { Verdict } from '../proofs.types.js';
import type { Check, CheckedChunk, ExpectedChunk, Findings } from './proof-job.types.js';

/** A passage as the tenant sees it now. */
export interface PresentChunk {
  content: string;
  contentHash: Digest;
  current: boolean;
}

/** The recorded query, ranked again: best first. */
export type Ranking = readonly { chunkId: string; score: number }[];

/** Checks that fail when the source has moved on, while everything recorded is intact. */
const DRIFTS = new Set(['current', 'ranking']);

/**
 * Holds what was recorded against what is there now, passage by passage. `ranking` null: there is none to hold it
 * against.
 */
export function checkChunks(
  expected: readonly ExpectedChunk[],
  present: ReadonlyMap<string, PresentChunk>,
  ranking: Ranking | null,
): CheckedChunk[] {
  const places = new Map(ranking?.map(({ chunkId, score }, index) => [chunkId, { rank: index + 1, score }]));
  return expected.map((chunk) => {
    const found = present.get(chunk.chunkId);
    const { rank, score } = places.get(chunk.chunkId) ?? { rank: null, score: null };
    const checks = [...presenceOf(found), ...(found ? integrityOf(chunk, found) : [])];
    if (ranking !== null && chunk.recordedRank !== null) checks.push(rankingOf(chunk.recordedRank, rank));
    return { ...chunk, content: found?.content ?? null, rank, score, checks };
  });
}

function presenceOf(found: PresentChunk | undefined): Check[] {
  const detail = found ? 'found' : 'no such passage, or none that this tenant may see any more';
  return ['exists', 'visible'].map((name) => ({ name, ok: found !== undefined, detail }));
}

function integrityOf(expected: ExpectedChunk, found: PresentChunk): Check[] {
  const digest = blake3Digest(found.content);
  const intact = digest === expected.contentHash && digest === found.contentHash;
  return [
    {
      name: 'hash',
      ok: intact,
      detail: intact ? digest : `the text has ${digest}, recorded was ${expected.contentHash}`,
    },
    {
      name: 'current',
      ok: found.current,
      detail: found.current
        ? `in version ${expected.docVersion}, the newest that has been indexed`
        : `version ${expected.docVersion} was replaced or deleted`,
    },
  ];
}

function rankingOf(before: number, now: number | null): Check {
  if (now === null)
    return { name: 'ranking', ok: false, detail: `was at place ${before}, is not among the results now` };
  const detail = now === before ? `at place ${now}, as recorded` : `at place ${now}, was at ${before}`;
  return { name: 'ranking', ok: true, detail };
}

/** Sums the passages' checks up by name, adds those about the whole, and says what it comes to. */
export function conclude(chunks: CheckedChunk[], whole: readonly Check[]): Findings {
  const byName = Map.groupBy(
    chunks.flatMap(({ chunkId, checks }) => checks.map((check) => ({ ...check, chunkId }))),
    ({ name }) => name,
  );
  const sums = [...byName].map(([name, checks]) => sumOf(name, checks));
  const checks = [...sums, ...whole];
  return { chunks, checks, verdict: verdictOf(checks) };
}

function sumOf(name: string, checks: readonly (Check & { chunkId: string })[]): Check {
  const bad = checks.filter(({ ok }) => !ok);
  const [first] = bad;
  if (!first) return { name, ok: true, detail: `${checks.length} of ${checks.length} passages` };
  const shown = `passage ${first.chunkId}: ${first.detail}`;
  return { name, ok: false, detail: bad.length === 1 ? shown : `${shown}; and ${bad.length - 1} more` };
}

function verdictOf(checks: readonly Check[]): Exclude<Verdict, 'pending'> {
  const bad = checks.filter(({ ok }) => !ok);
  if (bad.length === 0) return 'holds';
  return bad.every(({ name }) => DRIFTS.has(name)) ? 'drifted' : 'broken';
}
