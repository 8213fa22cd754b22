import { setImmediate as letOthersRun } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { blake3, namedDigest } from '../../../evidence/digest.js';
import { EvidenceService } from '../../../common/evidence-log/evidence.service.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Charge } from '../../economy/ledger/economy.types.js';
import { RecordsStore } from './records.store.js';
import { RetrievalChargesService } from './retrieval-charges.service.js';
import type { LedgerRecord, RecordedRetrieval } from './retrieval.types.js';
import type { SearchOutcome } from './search.service.js';

/** Candidates an audit keeps in full; its digest covers all. */
const LEDGER_CANDIDATES = 1000;

/** The evidence that is returned to the caller. */
export interface RetrievalEvidence {
  retrievalId: string;
  retrievalReceiptId: string;
  receiptId?: string;
  ledgerCandidates?: number;
}

/** The record and the receipts of verified and audit retrievals. */
@Injectable()
export class RetrievalEvidenceService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly records: RecordsStore,
    private readonly evidence: EvidenceService,
    private readonly charges: RetrievalChargesService,
  ) {}

  /**
   * Charges for a retrieval and records it with its retrieval receipt; an audit also with its ledger and a signed
   * receipt over both.
   */
  async record(
    caller: TenantCaller,
    retrieval: RecordedRetrieval,
    { outcome, charge }: { outcome: SearchOutcome; charge: Charge },
  ): Promise<RetrievalEvidence> {
    // The ledger of many candidates takes time: others come first, and no connection is held meanwhile.
    if (retrieval.lane === 'audit') await letOthersRun();
    const ledger = retrieval.lane === 'audit' ? ledgerOf(outcome) : undefined;
    const by = { actor: caller.principal, authMode: caller.authType, agentSession: caller.agentSession };
    const body = bodyOf(retrieval, outcome);
    return this.tenancy.run(caller.tenantId, async () => {
      await this.charges.charge(caller, charge);
      await this.records.rememberLast(retrieval);
      const { receiptId } = await this.evidence.recordRetrieval({ ...by, body });
      const made = { retrievalId: retrieval.retrievalId, retrievalReceiptId: receiptId };
      if (!ledger) {
        await this.records.record(retrieval, receiptId);
        return made;
      }
      await this.records.recordLedger(retrieval.retrievalId, ledger);
      const signed = await this.evidence.record({
        ...by,
        kind: 'retrieval.audited',
        subject: retrieval.retrievalId,
        body: {
          ...body,
          retrieval_receipt_id: receiptId,
          candidate_count: ledger.candidateCount,
          candidates_digest: namedDigest('blake3', ledger.candidatesDigest),
          statistics: ledger.statistics,
        },
      });
      await this.records.record(retrieval, receiptId, signed.receiptId);
      return { ...made, receiptId: signed.receiptId, ledgerCandidates: ledger.candidates.length };
    });
  }
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

function ledgerOf({ groups, hits }: SearchOutcome): LedgerRecord {
  const lines = hits.map(({ chunkId, score }) => `${chunkId}\t${score}\n`);
  return {
    candidateCount: hits.length,
    candidatesDigest: blake3(lines.join('')),
    statistics: groups.map(({ language, query }) => ({
      language,
      averageLength: query.averageLength,
      terms: query.terms.map((term, i) => ({
        term,
        weight: query.weights[i]!,
        isExpansion: i >= query.originals,
      })),
    })),
    candidates: hits.slice(0, LEDGER_CANDIDATES).map(({ chunkId, score, lexical, vector, recency, laneWeight }) => ({
      chunkId,
      score,
      vector,
      lexical,
      recency,
      laneWeight,
    })),
  };
}
