import { Injectable } from '@nestjs/common';
import { blake3Digest } from '../../../../evidence/digest.js';
import { EvidenceService } from '../../../../common/evidence-log/evidence.service.js';
import { Problem } from '../../../../common/problem/problem.js';
import { LaneSearchService } from '../../retrieval/lane-search.service.js';
import type { RecordedSearch } from '../../citations/citations.types.js';
import type { Ranking } from './proof-checks.rules.js';
import type { Check } from './proof-job.types.js';
import { ProofSubjectsViews, type StoredLedger } from './proof-subjects.views.js';

export interface RepeatedSearch {
  /** null when there is no ranking to hold anything against. */
  ranking: Ranking | null;
  /** What is to be said about the search as a whole. */
  check: Check | null;
}

/**
 * What verified and audit proofs check in addition to the passages: the recorded search, run again, and its ledger.
 * Needs an open unit of work.
 */
@Injectable()
export class SearchChecksService {
  constructor(
    private readonly searches: LaneSearchService,
    private readonly evidence: EvidenceService,
    private readonly views: ProofSubjectsViews,
  ) {}

  /** Ranks the recorded query again, in its lane, as the tenant may see the passages now. */
  async repeat(tenantId: string, search: RecordedSearch | null): Promise<RepeatedSearch> {
    if (search === null)
      return {
        ranking: null,
        check: note('ranking', 'no retrieval is recorded with the subject: nothing to rank again'),
      };
    try {
      const { passages } = await this.searches.search(tenantId, search.request, search.lane);
      const ranking = passages.map(({ chunkId, score }) => ({ chunkId, score }));
      return { ranking, check: null };
    } catch (error) {
      // A part of the index or a text that was altered is what a proof is there to find; a search that cannot run now
      // is tried again.
      if (!(error instanceof Problem) || error.retryable) throw error;
      return { ranking: null, check: { name: 'ranking', ok: false, detail: error.message || error.kind.title } };
    }
  }

  /**
   * Holds the candidate ledger of an audit retrieval against the signed receipt over it, and the results against the
   * ledger.
   */
  async checkLedger(search: RecordedSearch | null): Promise<Check> {
    if (!search?.executionReceiptId) return note('ledger', 'the retrieval was not of the audit lane: it has no ledger');
    const ledger = await this.views.findLedger(search.retrievalId);
    if (!ledger) return { name: 'ledger', ok: false, detail: 'the ledger is gone' };
    const { payload } = await this.evidence.read(search.executionReceiptId);
    const fault = faultOf(ledger, payload.body.candidates_digest, search);
    if (fault !== undefined) return { name: 'ledger', ok: false, detail: fault };
    return note(
      'ledger',
      `${ledger.candidateCount} candidates, as the signed receipt ${search.executionReceiptId} says`,
    );
  }
}

const note = (name: string, detail: string): Check => ({ name, ok: true, detail });

function faultOf(ledger: StoredLedger, signed: unknown, search: RecordedSearch): string | undefined {
  const stored = ledger.candidatesDigest;
  if (stored !== signed) return `its digest is ${stored}, the signed one is ${String(signed)}`;
  // Only a ledger that holds every candidate can be digested again.
  const isComplete = ledger.candidates.length === ledger.candidateCount;
  const again = blake3Digest(ledger.candidates.map(({ chunkId, score }) => `${chunkId}\t${score}\n`).join(''));
  if (isComplete && again !== stored) return `its candidates have the digest ${again}, the signed one is ${stored}`;
  const lost = search.results.find(
    ({ chunkId, score }, index) =>
      ledger.candidates[index]?.chunkId !== chunkId || ledger.candidates[index]?.score !== score,
  );
  return lost && `passage ${lost.chunkId} is not in the ledger at the place and score it was returned with`;
}
