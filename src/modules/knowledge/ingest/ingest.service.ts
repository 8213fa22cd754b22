import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { canonicalJson } from '../../../evidence/canonical-json.js';
import { INGEST_ACCEPTED } from '../../../evidence/content-bindings.js';
import { blake3Digest, namedDigest } from '../../../evidence/digest.js';
import { Jobs } from '../../../common/jobs/jobs.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { DueTimes } from './due-times.js';
import type { IngestAccepted, IngestBatchRequest, IngestRequest, IngestStatus } from './ingest.dto.js';
import { acceptedDocument, type DocumentEvent } from './ingest-receipts.rules.js';
import { IngestReceiptsService } from './ingest-receipts.service.js';
import { IngestUnknown } from './ingest.problems.js';
import { jobsOf, submissionOf } from './ingest.rules.js';
import { IngestStore } from './ingest.store.js';
import type { IngestJob, PlannedVersion, SourceFile, Submission } from './ingest.types.js';
import { VersionsService } from './versions.service.js';

/** Who sent a document: what a receipt says of the caller. */
type Sender = Pick<TenantCaller, 'principal' | 'authType' | 'agentSession'>;

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
    private readonly receipts: IngestReceiptsService,
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

  /**
   * Accepts the text of a file under the ingest that its sender knows, in the open unit of work.
   * @throws CorpusLanguageFixed
   */
  async acceptText(sender: Sender, ingestId: string, submission: Submission): Promise<void> {
    await this.recordAs(sender, [submission], [ingestId]);
  }

  async read(caller: TenantCaller, ingestId: string): Promise<IngestStatus> {
    const row = await this.tenancy.run(caller.tenantId, () => this.store.find(ingestId));
    if (!row) throw new IngestUnknown({ ingestId }, 'Use the ingestId that POST /v1/ingest answered to this tenant');
    return { ingestId: row.ingest_id, status: row.status, error: row.error };
  }

  private record(caller: TenantCaller, submissions: readonly Submission[]): Promise<IngestAccepted[]> {
    const ids = submissions.map(() => uuid());
    return this.tenancy.run(caller.tenantId, () => this.recordAs(caller, submissions, ids));
  }

  /** The receipts come last: from there on other writers of the tenant wait for this transaction. */
  private async recordAs(
    sender: Sender,
    submissions: readonly Submission[],
    ids: readonly string[],
  ): Promise<IngestAccepted[]> {
    const planned = await this.versions.record(submissions, sender.principal);
    const events = planned.map((version, index) => acceptance(sender, ids[index]!, version));
    const receipts = await this.receipts.record(events);
    const accepted = ids.map((ingestId, index) => ({ ingestId, receiptId: receipts[index]! }));
    await this.store.recordIngests(
      accepted.map((ids, index) => ({ ...ids, ...namesOf(planned[index]!), version: planned[index]!.version })),
    );
    await this.sendJobs(planned.map(({ submission }, index) => ({ ingestId: ids[index]!, ...submission })));
    return accepted.map((ids) => ({ ...ids, status: 'queued' }));
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

function acceptance(sender: Sender, ingestId: string, { submission, version }: PlannedVersion): DocumentEvent {
  const { corpusId, docId, shareability, file } = submission;
  const contentHash = namedDigest('blake3', submission.contentHash);
  const document = acceptedDocument({ ingestId, corpusId, docId, version }, { contentHash, shareability });
  return {
    kind: INGEST_ACCEPTED,
    actor: sender.principal,
    authMode: sender.authType,
    agentSession: sender.agentSession,
    body: file ? { ...document, file: fileOf(file) } : document,
  };
}

/** docs/formats/receipts.md, "Files". */
const fileOf = ({ name, mediaType, digest, bytes, locations }: SourceFile) => ({
  ...{ name, media_type: mediaType, digest, bytes },
  places: blake3Digest(canonicalJson(locations)),
});
