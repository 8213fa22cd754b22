import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { GroupedEffects, type GroupedRequest } from '../../../common/grouped-effects/grouped-effects.js';
import { canonicalJson } from '../../../evidence/canonical-json.js';
import { INGEST_ACCEPTED } from '../../../evidence/content-bindings.js';
import { blake3Digest, namedDigest } from '../../../evidence/digest.js';
import { Jobs } from '../../../common/jobs/jobs.js';
import { RequestGroups, takeWithin } from '../../../common/tenancy/request-groups.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { IngestAccepted, IngestBatchRequest, IngestRequest, IngestStatus } from './ingest.dto.js';
import { acceptedDocument, type DocumentEvent } from './ingest-receipts.rules.js';
import { IngestReceiptsService } from './ingest-receipts.service.js';
import { IngestUnknown } from './ingest.problems.js';
import { jobsOf, lastsMsOf, submissionOf } from './ingest.rules.js';
import { IngestStore } from './ingest.store.js';
import type { IngestJob, PlannedVersion, SourceFile, Submission } from './ingest.types.js';
import { VersionsService } from './versions.service.js';

/** Who sent a document: what a receipt says of the caller. */
type Sender = Pick<TenantCaller, 'principal' | 'authType' | 'agentSession'>;

/** A document that was sent. */
interface Arrived {
  readonly sender: Sender;
  readonly ingestId: string;
  readonly submission: Submission;
}

/**
 * Bounds of what goes together, in documents and UTF-16 code units. A larger document waits in a line of its own, so
 * that small ones do not wait for it.
 */
const MAX_TOGETHER = 64;
const UNITS_TOGETHER = 512 * 1024;

/** A job is given up after so many lost workers; invalid documents fail long before. */
const JOB_RETRIES = 20;

/** Accepts documents: what is accepted is durable, receipted and will end completed or failed. */
@Injectable()
export class IngestService {
  private readonly group = new RequestGroups<Arrived & { grouped: GroupedRequest }, IngestAccepted>({
    take: (waiting) =>
      takeWithin(waiting, [() => 1, MAX_TOGETHER], [({ submission }) => submission.content.length, UNITS_TOGETHER]),
    run: (arrived) =>
      this.effects.together(
        arrived.map(({ grouped }) => grouped),
        (places) => this.record(places.map((place) => arrived[place]!)),
      ),
  });

  constructor(
    private readonly tenancy: Tenancy,
    private readonly versions: VersionsService,
    private readonly store: IngestStore,
    private readonly receipts: IngestReceiptsService,
    private readonly jobs: Jobs,
    private readonly effects: GroupedEffects,
  ) {}

  /** Documents that are sent one by one at the same time go together, each with its own receipt. */
  async accept(caller: TenantCaller, request: IngestRequest): Promise<IngestAccepted> {
    const arrived = { sender: caller, ingestId: uuid(), submission: submissionOf(request, 'body') };
    const { request: grouped } = this.effects;
    if (grouped) return this.group.add(lineOf(arrived, grouped), { ...arrived, grouped });
    const [accepted] = await this.tenancy.run(caller.tenantId, () => this.record([arrived]));
    return accepted!;
  }

  /** All or none; the answers are in the order of the documents. */
  async acceptBatch(caller: TenantCaller, { documents }: IngestBatchRequest): Promise<{ accepted: IngestAccepted[] }> {
    const arrived = documents.map((document, index) => ({
      sender: caller,
      ingestId: uuid(),
      submission: submissionOf(document, `body.documents[${index}]`),
    }));
    const accepted = await this.tenancy.run(caller.tenantId, () =>
      this.record(arrived, (events) => this.receipts.record(events)),
    );
    return { accepted };
  }

  /**
   * Accepts the text of a file under the ingest that its sender knows, in the open unit of work.
   * @throws CorpusLanguageFixed
   */
  async acceptText(sender: Sender, ingestId: string, submission: Submission): Promise<void> {
    await this.record([{ sender, ingestId, submission }]);
  }

  async read(caller: TenantCaller, ingestId: string): Promise<IngestStatus> {
    const row = await this.tenancy.run(caller.tenantId, () => this.store.find(ingestId));
    if (!row) throw new IngestUnknown({ ingestId }, 'Use the ingestId that POST /v1/ingest answered to this tenant');
    return { ingestId: row.ingest_id, status: row.status, error: row.error };
  }

  /** The receipts come late: from there on other writers of the tenant wait for this transaction. */
  private async record(
    arrived: readonly Arrived[],
    recordReceipts = (events: readonly DocumentEvent[]) => this.receipts.recordEach(events),
  ): Promise<IngestAccepted[]> {
    const planned = await this.versions.record(
      arrived.map(({ sender, submission }) => ({ ...submission, acceptedBy: sender.principal })),
    );
    await this.sendJobs(arrived.map(({ ingestId, submission: { content } }) => ({ ingestId, content })));
    const receipts = await recordReceipts(
      arrived.map(({ sender, ingestId }, index) => acceptance(sender, ingestId, planned[index]!)),
    );
    const accepted = arrived.map(({ ingestId }, index) => ({ ingestId, receiptId: receipts[index]! }));
    this.store.recordIngests(
      accepted.map((ids, index) => ({ ...ids, ...namesOf(planned[index]!), version: planned[index]!.version })),
    );
    return accepted.map((ids) => ({ ...ids, status: 'queued' }));
  }

  private async sendJobs(ingests: readonly { ingestId: string; content: string }[]): Promise<void> {
    const tenantId = this.tenancy.tenant;
    for (const { ingestIds, units, queue } of jobsOf(ingests)) {
      const job: IngestJob = { tenantId, ingestIds };
      await this.jobs.send(queue, job, { retryLimit: JOB_RETRIES, lastsMs: lastsMsOf(units) });
    }
  }
}

const lineOf = ({ submission: { content } }: Arrived, { tenantId }: GroupedRequest): string =>
  content.length > UNITS_TOGETHER ? `large ${tenantId}` : `small ${tenantId}`;

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
