import { blake3Digest } from '../../../../evidence/digest.js';
import type { CitedAnswer } from '../../citations/answers.service.js';
import type { Attestation } from '../../citations/citations.types.js';
import { categoriesOf, driftAt, worstState } from '../../citations/source-states.types.js';
import type { ProofMode, Verdict } from '../proofs.types.js';
import type { Check, CheckedChunk, ExpectedChunk, Findings, FoundChunk, Grounds } from './proof-job.types.js';

/** Checks of whether the source still has the text and the tenant sees it; all others are of what was recorded. */
const STANDING = new Set(['visible', 'current']);

export const passed = (name: string, detail: string): Check => ({ name, ok: true, result: 'ok', detail });
export const failed = (name: string, detail: string): Check => ({ name, ok: false, result: 'failed', detail });
export const notApplicable = (name: string, reason: string): Check => ({
  name,
  ok: true,
  result: 'not_applicable',
  detail: reason,
});

/** What a mode has to check of a subject, beyond the modes before it. Whatever is missing is not charged. */
export function chargedModeOf(
  mode: ProofMode,
  { search, receiptIds }: Pick<Grounds, 'search' | 'receiptIds'>,
): ProofMode {
  if (mode === 'audit' && receiptIds.length > 0) return 'audit';
  return mode !== 'light' && search !== null ? 'verified' : 'light';
}

/**
 * Holds what was recorded against what is there now, passage by passage. Places are compared where `isRanked`: the
 * recorded search was done again.
 */
export function checkChunk(
  expected: ExpectedChunk,
  found: FoundChunk,
  { tenantId, isRanked }: { tenantId: string; isRanked: boolean },
): CheckedChunk {
  const isOwn = expected.ownerTenantId === tenantId;
  const { now, recorded, place } = found;
  const before = isRanked ? expected.recordedRank : null;
  const rank = place?.rank ?? null;
  return {
    ...expected,
    content: recorded?.content ?? now.standing?.content ?? null,
    rank,
    score: place?.score ?? null,
    state: now.state,
    drift: driftAt(now, before, rank),
    checks: [
      existenceOf(found, isOwn),
      visibilityOf(expected, found, isOwn),
      integrityOf(expected, found),
      contentOf(found, isOwn),
      currencyOf(expected, found, isOwn),
      ...(before === null ? [] : [rankingOf(before, rank)]),
    ],
  };
}

function existenceOf({ recorded, now: { standing } }: FoundChunk, isOwn: boolean): Check {
  if (recorded) return passed('exists', 'found');
  if (standing) return passed('exists', `as passage ${standing.chunkId} of version ${standing.docVersion}`);
  return isOwn
    ? failed('exists', 'the tenant has no such passage')
    : notApplicable('exists', 'a tenant does not learn what exists among the documents of others that it cannot see');
}

/** By which right the tenant sees it. */
function visibilityOf(expected: ExpectedChunk, found: FoundChunk, isOwn: boolean): Check {
  if (isOwn) return passed('visible', "the tenant's own document");
  const then = expected.shareability ? `; ${expected.shareability} when it was recorded` : '';
  if (found.now.version === null) return failed('visible', `deleted, or no longer shared with this tenant${then}`);
  const shareability = (found.recorded ?? found.now.standing)?.shareability;
  if (shareability === 'entitled_only')
    return passed(
      'visible',
      `entitled_only, by the entitlement of ${found.entitledAt?.toISOString() ?? 'another time'}${then}`,
    );
  return passed('visible', `${shareability ?? 'the document is shared'}${then}`);
}

function integrityOf({ contentHash }: ExpectedChunk, { recorded, now: { standing } }: FoundChunk): Check {
  const seen = [recorded, standing].filter((one) => one !== undefined && one !== null);
  if (seen.length === 0) return notApplicable('hash', 'there is no text that the tenant can see');
  const altered = seen
    .flatMap((one) => [blake3Digest(one.content), one.contentHash])
    .find((digest) => digest !== contentHash);
  return altered === undefined
    ? passed('hash', contentHash)
    : failed('hash', `the text has ${altered}, recorded was ${contentHash}`);
}

/** The text that was recorded, against the receipt of its ingest. */
function contentOf({ content, recorded, now }: FoundChunk, isOwn: boolean): Check {
  if (!isOwn && !recorded && !now.standing) return notApplicable('content', 'there is no text that the tenant can see');
  return content.ok ? passed('content', content.detail) : failed('content', content.detail);
}

function currencyOf({ docVersion }: ExpectedChunk, { now }: FoundChunk, isOwn: boolean): Check {
  const renamed = now.drift.includes('metadata_changed') ? '; its title or address has changed' : '';
  switch (now.state) {
    case 'holds':
      return passed('current', `in version ${now.version}, the newest that has been indexed${renamed}`);
    case 'unknown':
      return notApplicable('current', `in version ${now.version} stands a passage of this digest with another text`);
    case 'drifted':
      return failed('current', `version ${docVersion} was replaced; version ${now.version} does not have the text`);
    case 'unavailable':
      return isOwn
        ? failed('current', `the document of version ${docVersion} is deleted`)
        : notApplicable('current', 'this tenant sees no version of the document');
  }
}

/** Another place is reported and breaks nothing: what the answer says is still there. */
function rankingOf(before: number, now: number | null): Check {
  if (now === null) return passed('ranking', `was at place ${before}, is not among the results now`);
  return passed('ranking', now === before ? `at place ${now}, as recorded` : `at place ${now}, was at ${before}`);
}

/** Holds an answer's words against those it cites: what a citation quotes has to stand in the answer. */
export function checkQuotes({ answerText, chunks }: Grounds): Check {
  if (answerText === null) return notApplicable('quotes', 'no text of an answer is recorded');
  const quotes = chunks.map(({ quote }) => quote).filter((quote) => quote !== null);
  if (quotes.length === 0) return notApplicable('quotes', 'no citation quotes any words');
  const said = spaced(answerText);
  const missing = quotes.filter((quote) => !said.includes(spaced(quote)));
  if (missing.length === 0) return passed('quotes', `${quotes.length} of ${quotes.length} stand in the answer`);
  const shown = JSON.stringify(missing[0]!.slice(0, 80).toWellFormed());
  return failed('quotes', `${missing.length} of ${quotes.length} do not stand in the answer, the first is ${shown}`);
}

/** Whether an answer is what its receipt says, word for word, and cites what it says. */
export function checkAnswer({ receiptCheck, isAsAttested }: Attestation, { citations }: CitedAnswer): Check {
  if (receiptCheck !== 'OK') return failed('answer', `the receipt of the answer does not hold: ${receiptCheck}`);
  if (!isAsAttested) return failed('answer', 'the answer or what it cites is not what its receipt says');
  const altered = citations.find(({ chunk }) => blake3Digest(chunk.content) !== chunk.contentHash);
  if (altered) return failed('answer', `the text kept with the citation of ${altered.chunk.chunkId} was altered`);
  return passed('answer', 'text and citations, as its receipt says');
}

/** In one case and spacing, in which answers may differ from their sources. */
const spaced = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

/** Sums the passages' checks up by name, adds those about the whole, and says what it comes to. */
export function conclude(chunks: CheckedChunk[], whole: readonly Check[]): Findings {
  const byName = Map.groupBy(
    chunks.flatMap(({ chunkId, checks }) => checks.map((check) => ({ ...check, chunkId }))),
    ({ name }) => name,
  );
  const checks = [...[...byName].map(([name, each]) => sumOf(name, each)), ...whole];
  const drift = categoriesOf(chunks.flatMap((chunk) => chunk.drift));
  return { chunks, checks, drift, verdict: verdictOf(chunks, checks) };
}

function sumOf(name: string, checks: readonly (Check & { chunkId: string })[]): Check {
  const bad = checks.filter(({ result }) => result === 'failed');
  const [first] = bad;
  if (first) {
    const shown = `passage ${first.chunkId}: ${first.detail}`;
    return failed(name, bad.length === 1 ? shown : `${shown}; and ${bad.length - 1} more`);
  }
  const held = checks.filter(({ result }) => result === 'ok').length;
  return held === 0 ? notApplicable(name, checks[0]!.detail) : passed(name, `${held} of ${checks.length} passages`);
}

function verdictOf(chunks: readonly CheckedChunk[], checks: readonly Check[]): Exclude<Verdict, 'pending'> {
  const isBroken = checks.some(({ name, result }) => result === 'failed' && !STANDING.has(name));
  return isBroken ? 'broken' : worstState(chunks.map(({ state }) => state));
}
