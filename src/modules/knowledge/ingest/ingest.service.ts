import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { namedDigest } from '../../../evidence/digest.js';
import { EvidenceService, type EvidenceEvent } from '../../../common/evidence-log/evidence.service.js';
import { Jobs } from '../../../common/jobs/jobs.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { DueTimes } from './due-times.js';
import type { IngestAccepted, IngestBatchRequest, IngestRequest, IngestStatus } from './ingest.dto.js';
import { IngestUnknown } from './ingest.problems.js';
import { jobsOf, submissionOf } from './ingest.rules.js';
import { IngestStore } from './ingest.store.js';
import type { IngestJob, PlannedVersion, Submission } from './ingest.types.js';
import { VersionsService } from './versions.service.js';

/** A job is given up after so many lost workers; invalid documents fail long before. */
const JOB_RETRIES = 20;

/** Accepts documents: what is accepted is durable, receipted and will end completed or failed. */
@Injectable()
export class IngestService {
  private readonly dueTimes = new DueTimes();

  constructor(
    private readonly tenancy: Tenancy,
    private readonly versions: VersionsService,
    private readonly store: IngestStore,
    private readonly evidence: EvidenceService,
    private readonly jobs: Jobs,
  ) {}

  async accept(caller: TenantCaller, request: IngestRequest): Promise<IngestAccepted> {
    const [accepted] = await this.record(caller, [submissionOf(request, 'body')]);
    return accepted!;
  }

  /** All or none; the answers are in the order of the documents. */
  async acceptBatch(caller: TenantCaller, { documents }: IngestBatchRequest): Promise<{ accepted: IngestAccepted[] }> {
    const submissions = documents.map((document, index) => submissionOf(document, `body.documents[${index}]`));
    return { accepted: await this.record(caller, submissions) };
  }

  async read(caller: TenantCaller, ingestId: string): Promise<IngestStatus> {
    const row = await this.tenancy.run(caller.tenantId, () => this.store.find(ingestId));
    if (!row) throw new IngestUnknown({ ingestId }, 'Use the ingestId that POST /v1/ingest answered to this tenant');
    return { ingestId: row.ingest_id, status: row.status, error: row.error };
  }

  /** The receipts come last: from there on other writers of the tenant wait for this transaction. */
  private record(caller: TenantCaller, submissions: readonly Submission[]): Promise<IngestAccepted[]> {
    return this.tenancy.run(caller.tenantId, async () => {
      const planned = await this.versions.record(submissions, caller.principal);
      const ids = planned.map(() => uuid());
      const events = planned.map((version, index) => acceptance(caller, ids[index]!, version));
      const receipts = await this.evidence.recordMany(events);
      const accepted = ids.map((ingestId, index) => ({ ingestId, receiptId: receipts[index]!.receiptId }));
      await this.store.recordIngests(
        accepted.map((ids, index) => ({ ...ids, ...namesOf(planned[index]!), version: planned[index]!.version })),
      );
      await this.sendJobs(planned.map(({ submission }, index) => ({ ingestId: ids[index]!, ...submission })));
      return accepted.map((ids) => ({ ...ids, status: 'queued' }));
    });
  }

  private async sendJobs(ingests: readonly { ingestId: string; content: string }[]): Promise<void> {
    const tenantId = this.tenancy.tenant;
    for (const { ingestIds, units, queue } of jobsOf(ingests)) {
      const job: IngestJob = { tenantId, ingestIds };
      const priority = this.dueTimes.next(tenantId, units);
      await this.jobs.send(queue, job, { retryLimit: JOB_RETRIES, priority });
    }
  }
}

function namesOf({ submission: { corpusId, docId } }: PlannedVersion): { corpusId: string; docId: string } {
  return { corpusId, docId };
}

function acceptance(caller: TenantCaller, ingestId: string, { submission, version }: PlannedVersion): EvidenceEvent {
  return {
    kind: 'ingest.accepted',
    actor: caller.principal,
    authMode: caller.authType,
    agentSession: caller.agentSession,
    subject: ingestId,
    body: {
      ingest_id: ingestId,
      corpus_id: submission.corpusId,
      doc_id: submission.docId,
      version,
      content_hash: namedDigest('blake3', submission.contentHash),
      shareability: submission.shareability,
    },
  };
}
