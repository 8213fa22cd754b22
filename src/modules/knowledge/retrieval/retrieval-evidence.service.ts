import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { EvidenceService } from '../../../common/evidence-log/evidence.service.js';
import { RequestGroups } from '../../../common/tenancy/request-groups.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Charge } from '../../economy/ledger/economy.types.js';
import { LedgersService } from './ledgers.service.js';
import { RetrievalChargesService } from './retrieval-charges.service.js';
import type { Ledger, RecordedRetrieval } from './retrieval.types.js';
import type { SearchOutcome } from './search.service.js';

/** Retrievals of a tenant that are recorded by one transaction, at most. */
const AT_ONCE = 32;

/** The evidence that is returned to the caller. */
export interface RetrievalEvidence {
  retrievalId: string;
  retrievalReceiptId: string;
  receiptId?: string;
  ledgerCandidates?: number;
}

/** A retrieval to be recorded, and what is to be paid for it. */
interface Recorded {
  caller: TenantCaller;
  charge: Charge;
  retrieval: RecordedRetrieval;
  body: object;
  ledger: Ledger | undefined;
}

/** The record and the receipts of verified and audit retrievals. */
@Injectable()
export class RetrievalEvidenceService {
  private readonly recording: RequestGroups<Recorded, RetrievalEvidence>;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly ledgers: LedgersService,
    private readonly evidence: EvidenceService,
    private readonly charges: RetrievalChargesService,
  ) {
    this.recording = new RequestGroups({
      take: takeTogether,
      waitsForNone: true,
      run: (retrievals) => this.write(retrievals[0]!.caller.tenantId, retrievals),
    });
  }

  /**
   * Charges for a retrieval and records it with its retrieval receipt; an audit also with its ledger and a signed
   * receipt over both. Retrievals of a tenant that wait are recorded together.
   */
  async record(
    caller: TenantCaller,
    retrieval: RecordedRetrieval,
    { outcome, charge }: { outcome: SearchOutcome; charge: Charge },
  ): Promise<RetrievalEvidence> {
    const { candidates } = outcome;
    const ledger = candidates && (await this.ledgers.make(outcome, candidates));
    candidates?.release();
    return this.recording.add(caller.tenantId, { caller, charge, retrieval, body: bodyOf(retrieval, outcome), ledger });
  }

  /** What has other effects than its record needs a unit of work; most have none. */
  private async write(tenantId: string, retrievals: readonly Recorded[]): Promise<RetrievalEvidence[]> {
    const receipts = this.evidence.draftRetrievals(
      tenantId,
      retrievals.map(({ caller, body }) => ({ ...actorOf(caller), body })),
    );
    const receiptOf = new Map(retrievals.map((one, i) => [one, receipts[i]!.receiptId]));
    const record = async (signed: ReadonlyMap<Recorded, string>): Promise<RetrievalEvidence[]> => {
      const kept = retrievals.map((one) => rowOf(one, receiptOf.get(one)!, signed.get(one)));
      await this.evidence.recordRetrievals(tenantId, receipts, kept);
      return retrievals.map((one) => evidenceOf(one, receiptOf.get(one)!, signed.get(one)));
    };
    if (!retrievals.some(hasOtherEffects)) return record(new Map());
    return this.tenancy.run(tenantId, async () => {
      for (const { caller, charge } of retrievals) await this.charges.charge(caller, charge);
      return record(await this.recordLedgers(retrievals, receiptOf));
    });
  }

  /** @returns the signed receipts of those that have a ledger */
  private async recordLedgers(
    retrievals: readonly Recorded[],
    receiptOf: ReadonlyMap<Recorded, string>,
  ): Promise<Map<Recorded, string>> {
    const audits = retrievals.flatMap((one) => (one.ledger ? [{ one, ledger: one.ledger }] : []));
    if (audits.length === 0) return new Map();
    await this.ledgers.record(new Map(audits.map(({ one, ledger }) => [one.retrieval.retrievalId, ledger])));
    const signed = await this.evidence.recordMany(
      audits.map(({ one, ledger }) => ({
        ...actorOf(one.caller),
        kind: 'retrieval.audited',
        subject: one.retrieval.retrievalId,
        body: { ...one.body, retrieval_receipt_id: receiptOf.get(one), ...ledgerIn(ledger) },
      })),
    );
    return new Map(audits.map(({ one }, i) => [one, signed[i]!.receiptId]));
  }
}

const isPaid = ({ caller, charge }: Recorded): boolean => charge.credits > 0 || caller.role === 'discovery';

/** A charge, a ledger with its receipt, a step of the session. */
const hasOtherEffects = (one: Recorded): boolean =>
  isPaid(one) || one.ledger !== undefined || one.caller.agentSession !== undefined;

/** What is paid for goes alone: who has too little must not fail others. */
function takeTogether(waiting: readonly Recorded[]): number {
  const paid = waiting.findIndex(isPaid);
  return Math.max(1, Math.min(AT_ONCE, paid < 0 ? waiting.length : paid));
}

const actorOf = ({ principal, authType, agentSession }: TenantCaller) => ({
  ...{ actor: principal, authMode: authType, agentSession },
});

/** As svc_record_retrievals takes it. */
const rowOf = ({ caller, retrieval }: Recorded, receiptId: string, signed = null as string | null): object => ({
  ...retrieval,
  tenantId: caller.tenantId,
  receiptId,
  executionReceiptId: signed,
});

function evidenceOf({ retrieval, ledger }: Recorded, receiptId: string, signed: string | undefined): RetrievalEvidence {
  const made = { retrievalId: retrieval.retrievalId, retrievalReceiptId: receiptId };
  return ledger && signed ? { ...made, receiptId: signed, ledgerCandidates: ledger.keptCount } : made;
}

/** What the receipts say: the request, the state of the index it was answered from, and the results in their order. */
function bodyOf({ retrievalId, agentId, lane, request, results }: RecordedRetrieval, outcome: SearchOutcome): object {
  return {
    retrieval_id: retrievalId,
    agent_id: agentId,
    lane,
    query: request.query,
    corpus_ids: request.corpusIds,
    include_commons: request.includeCommons,
    limit: request.limit,
    day: request.day,
    ...(request.synonyms ? { synonyms: true } : {}),
    index_state: outcome.shards.map(({ shardId, generation }) => ({ shard_id: shardId, generation })),
    results: results.map(({ chunkId, contentHash, score }) => ({
      chunk_id: chunkId,
      content_hash: contentHash,
      score,
    })),
  };
}

const ledgerIn = ({ candidateCount, candidatesDigest, linesDigest, statistics }: Ledger) => ({
  candidate_count: candidateCount,
  candidates_digest: candidatesDigest,
  ledger_digest: linesDigest,
  statistics,
});
