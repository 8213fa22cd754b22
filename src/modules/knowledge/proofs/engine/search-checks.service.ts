import { Injectable } from '@nestjs/common';
import type { CborMap } from '../../../../evidence/cbor.js';
import { blake3Digest, type Digest } from '../../../../evidence/digest.js';
import { EvidenceService } from '../../../../common/evidence-log/evidence.service.js';
import type { RecordedSearch } from '../../citations/citations.types.js';
import { LedgersService } from '../../retrieval/ledgers.service.js';
import { RepeatedSearchService } from '../../retrieval/repeated-search.service.js';
import type { Passage, StoredLedger } from '../../retrieval/retrieval.types.js';
import { failed, notApplicable, passed } from './proof-checks.rules.js';
import type { Check } from './proof-job.types.js';

interface RankedAgain {
  /** Null when there is none to compare places by. */
  ranking: readonly Passage[] | null;
  /** What is to be said about the search as a whole. */
  checks: Check[];
}

/**
 * What verified and audit proofs check in addition to the passages: the recorded search, run again, and its ledger.
 * Needs an open unit of work.
 */
@Injectable()
export class SearchChecksService {
  constructor(
    private readonly searches: RepeatedSearchService,
    private readonly evidence: EvidenceService,
    private readonly ledgers: LedgersService,
  ) {}

  /** Ranks the recorded query again, in its lane, as the tenant may see the passages now. */
  async repeat(tenantId: string, search: RecordedSearch | null): Promise<RankedAgain> {
    if (search === null)
      return { ranking: null, checks: [notApplicable('ranking', 'no retrieval is recorded with the subject')] };
    const { ranking, isBroken, detail } = await this.searches.repeat(tenantId, search);
    return { ranking, checks: isBroken ? [failed('ranking', detail)] : [] };
  }

  /**
   * Holds the candidate ledger of an audit retrieval against the signed receipt over it, and the results against the
   * ledger.
   */
  async checkLedger(search: RecordedSearch | null): Promise<Check> {
    if (!search?.executionReceiptId)
      return notApplicable('ledger', 'no retrieval of the audit lane is recorded with the subject');
    const ledger = await this.ledgers.find(search.retrievalId);
    if (!ledger) return failed('ledger', 'the ledger is gone');
    const { payload } = await this.evidence.read(search.executionReceiptId);
    const fault = faultOf(ledger, payload.body, search);
    if (fault !== undefined) return failed('ledger', fault);
    return passed(
      'ledger',
      `${ledger.candidateCount} candidates, as the signed receipt ${search.executionReceiptId} says`,
    );
  }
}

function faultOf(ledger: StoredLedger, signed: CborMap, search: RecordedSearch): string | undefined {
  const { candidatesDigest: stored, linesDigest } = ledger;
  const expected: unknown = signed.candidates_digest;
  if (stored !== expected) return `its digest is ${stored}, the signed one is ${String(expected)}`;
  const again = linesDigest ?? earlierDigest(ledger);
  const kept: unknown = linesDigest ? signed.ledger_digest : stored;
  if (again !== kept) return `its candidates have the digest ${again}, the signed one is ${String(kept)}`;
  const lost = search.results.find(
    ({ chunkId, score }, index) =>
      ledger.candidates[index]?.chunkId !== chunkId || ledger.candidates[index]?.score !== score,
  );
  return lost && `passage ${lost.chunkId} is not in the ledger at the place and score it was returned with`;
}

/** Of an earlier ledger only one that holds every candidate can be digested again. */
function earlierDigest({ candidates, candidateCount, candidatesDigest }: StoredLedger): Digest {
  if (candidates.length !== candidateCount) return candidatesDigest;
  return blake3Digest(candidates.map(({ chunkId, score }) => `${chunkId}\t${score}\n`).join(''));
}
