import { Inject, Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { type AutoStep, AutoSteps, autoTrace } from '../../../common/evidence-log/auto-steps.js';
import { namedDigest } from '../../../evidence/digest.js';
import { Metrics } from '../../../common/observability/metrics.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Charge } from '../../economy/ledger/economy.types.js';
import { LaneSearchService } from './lane-search.service.js';
import { LastRetrievalsService } from './last-retrievals.service.js';
import { RecordsStore } from './records.store.js';
import { RetrievalChargesService } from './retrieval-charges.service.js';
import { type RetrievalEvidence, RetrievalEvidenceService } from './retrieval-evidence.service.js';
import type { RetrievalRequest, RetrievalResponse, RetrievalResult } from './retrieval.dto.js';
import { type Cost, noteOn } from './retrieval.rules.js';
import type { Passage, RecordedRetrieval } from './retrieval.types.js';
import type { SearchOutcome } from './search.service.js';

/** Retrieval in the three lanes (decision D18), and what is remembered of it. */
@Injectable()
export class RetrievalService {
  private readonly seconds;

  constructor(
    private readonly searches: LaneSearchService,
    private readonly evidence: RetrievalEvidenceService,
    private readonly lastRetrievals: LastRetrievalsService,
    private readonly records: RecordsStore,
    private readonly tenancy: Tenancy,
    private readonly charges: RetrievalChargesService,
    private readonly steps: AutoSteps,
    @Inject(Metrics) metrics: Metrics,
  ) {
    this.seconds = metrics.histogram('svc_retrieval_seconds', 'Time of retrievals, by lane.', ['lane']);
  }

  async retrieve(caller: TenantCaller, given: RetrievalRequest): Promise<RetrievalResponse> {
    const started = performance.now();
    const request = await this.charges.admit(caller, given);
    const { lane } = request;
    const outcome = await this.searches.search(caller.tenantId, request, lane);
    const retrieval = recordOf(request, outcome);
    const cost = this.charges.costOf(caller, outcome.shards);
    const evidence = await this.settle(caller, retrieval, { outcome, charge: chargeFor(retrieval, cost) });
    const note = noteOn(outcome.groups);
    const tookMs = performance.now() - started;
    this.seconds.observe({ lane }, tookMs / 1000);
    return {
      results: outcome.passages.map((passage) => resultOf(passage, caller.tenantId)),
      ...cost,
      meta: {
        fit: outcome.fit,
        lane,
        vectorBackend: outcome.backend,
        tookMs: Math.round(tookMs * 1000) / 1000,
        // The database's vector index is approximate; everything else is exact.
        exact: outcome.backend !== 'pgvector',
        scanned: outcome.scored,
        truncated: outcome.isTruncated,
        ...(note === undefined ? {} : { note }),
        ...evidence,
        ...(lane === 'verified' || request.synonyms ? { expandedWith: addedTerms(outcome) } : {}),
      },
    };
  }

  /**
   * Charges the credits and stores the retrieval; in one unit of work where the lane records it. What is free costs no
   * round trip.
   */
  private async settle(
    caller: TenantCaller,
    retrieval: RecordedRetrieval,
    made: { outcome: SearchOutcome; charge: Charge },
  ): Promise<RetrievalEvidence | undefined> {
    if (retrieval.lane !== 'light') return this.evidence.record(caller, retrieval, made);
    await this.charges.chargeAtOnce(caller, made.charge);
    this.lastRetrievals.remember({ ...retrieval, tenantId: caller.tenantId });
    if (caller.agentSession !== undefined) await this.steps.addAlone(caller.tenantId, [stepOf(caller, retrieval)]);
    return undefined;
  }

  /** The last retrieval of an agent, in any lane. */
  async findLast(caller: TenantCaller, agentId: string): Promise<RecordedRetrieval | undefined> {
    await this.lastRetrievals.flush();
    return this.tenancy.run(caller.tenantId, () => this.records.findLast(agentId));
  }

  /** A retrieval of the verified or the audit lane. */
  find(caller: TenantCaller, retrievalId: string): Promise<RecordedRetrieval | undefined> {
    return this.tenancy.run(caller.tenantId, () => this.records.find(retrievalId));
  }
}

/** Of a retrieval without a receipt: what it showed, by ids alone. */
const stepOf = ({ agentSession, principal }: TenantCaller, { results, createdAt }: RecordedRetrieval): AutoStep => ({
  ...{ session: agentSession!, kind: 'retrieval', label: 'retrieval', actor: principal, status: 'ok' },
  at: createdAt.toISOString(),
  outputs: results.map(({ chunkId, contentHash }) => autoTrace('chunk', chunkId, contentHash)),
});

const chargeFor = ({ agentId, retrievalId }: RecordedRetrieval, { credit_cost }: Cost): Charge => ({
  agentId,
  credits: credit_cost,
  reason: 'retrieval',
  reference: retrievalId,
});

/** The words that were added to the query, as they are indexed. */
function addedTerms({ groups }: SearchOutcome): string[] {
  return groups.flatMap(({ query }) => query.terms.slice(query.originals));
}

function recordOf(request: RetrievalRequest, outcome: SearchOutcome): RecordedRetrieval {
  const { query, corpusIds, includeCommons, limit, agentId, lane, synonyms } = request;
  return {
    retrievalId: uuid(),
    agentId,
    lane,
    request: { query, corpusIds, includeCommons, limit, day: outcome.day, ...(synonyms ? { synonyms } : {}) },
    results: outcome.passages.map((passage) => ({
      chunkId: passage.chunkId,
      ownerTenantId: passage.ownerTenantId,
      corpusId: passage.corpusId,
      docId: passage.docId,
      version: passage.version,
      contentHash: namedDigest('blake3', passage.contentHash),
      score: passage.score,
    })),
    createdAt: new Date(),
  };
}

function resultOf(passage: Passage, reader: string): RetrievalResult {
  const isOwn = passage.ownerTenantId === reader;
  return {
    chunkId: passage.chunkId,
    docId: passage.docId,
    tenantId: isOwn ? reader : null,
    corpusId: passage.corpusId,
    content: passage.content,
    title: passage.title,
    url: passage.url,
    score: passage.score,
    scoreComponents: passage.scoreComponents,
    source: isOwn ? 'tenant' : 'commons',
    ...(passage.location ? { location: passage.location } : {}),
  };
}
