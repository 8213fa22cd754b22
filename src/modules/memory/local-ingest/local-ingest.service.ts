import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { blake3, namedDigest } from '../../../evidence/digest.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { invalid, RequestTimeout } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { DirectIngestService } from '../../knowledge/ingest/direct-ingest.service.js';
import type { IngestedDocument, PlannedVersion } from '../../knowledge/ingest/ingest.types.js';
import { CAPS, type LocalIngestReply, type LocalIngestRequest } from './local-ingest.dto.js';
import { segmentSealed } from './local-ingest.events.js';
import { DocumentNotProcessable } from './local-ingest.problems.js';
import { denseMembers, documentsOf } from './local-ingest.rules.js';
import { LocalIngestStore } from './local-ingest.store.js';
import { WriterQueue } from './writer-queue.js';
import { encodeSegment, type SegmentFrame } from './segment.rules.js';

/** The chain of receipts of local ingest: its writers wait for each other already, and nobody else for them. */
const EVIDENCE_STREAM = 'local-ingest';
/**
 * When a call has to be done with what may wait, the sealing of other processes and the endpoint of vectors; the
 * router's own limit ends the wait in this process.
 */
const MAX_WAIT_MS = 29_000;

type Taken = Omit<LocalIngestReply, 'dense_dim' | 'dense_vectors' | 'dense_queued' | 'capability'>;

interface SealedSegment {
  readonly segmentSeq: number;
  readonly frames: readonly SegmentFrame[];
  readonly bytes: Uint8Array;
  readonly digest: Uint8Array;
  readonly sealedAt: string;
  readonly receiptId: string;
}

/** Takes documents in, makes them searchable and seals them, in one transaction a call and one call at a time. */
@Injectable()
export class LocalIngestService {
  private readonly queue = new WriterQueue();

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly tenancy: Tenancy,
    private readonly tenants: TenantResolver,
    private readonly documents: DirectIngestService,
    private readonly store: LocalIngestStore,
    private readonly audit: AuditTrail,
    private readonly outbox: Outbox,
  ) {}

  /**
   * @param deadline when it aborts before the call is sealed, nothing of the call remains
   * @throws LocalIngestTooLarge, ValidationFailed, DocumentNotProcessable, AnalysisTooCostly, CorpusLanguageFixed,
   * RequestTimeout
   */
  async ingest(caller: DaemonCaller, request: LocalIngestRequest, deadline: AbortSignal): Promise<LocalIngestReply> {
    const end = performance.now() + MAX_WAIT_MS;
    const embeds = this.embeds(request);
    const documents = await documentsOf(request);
    const work = async () => {
      const planned = await this.documents.record(documents, caller.principal);
      const reply = await this.take(caller, request, planned);
      deadline.throwIfAborted();
      return { reply, planned };
    };
    const waitToSeal = async () => {
      if (!(await this.store.lockSealing(end - performance.now())))
        throw new RequestTimeout({}, 'Another process was sealing all the while; nothing was taken in, send it again');
      deadline.throwIfAborted();
    };
    const { reply, planned } = await this.queue.run(deadline, () =>
      this.tenants.write(caller, request.tenant_id, work, waitToSeal),
    );
    const count = await this.documents.embed(request.tenant_id, planned, embeds ? end - performance.now() : 0);
    return { ...reply, ...denseMembers(count, embeds) };
  }

  /** Whether the documents are to have vectors. @throws ValidationFailed where they are and cannot */
  private embeds({ semantic_profile }: LocalIngestRequest): boolean {
    const isConfigured = this.settings.retrieval.embeddingsUrl !== undefined;
    if (semantic_profile === 'hybrid' && !isConfigured)
      throw invalid(
        'body.semantic_profile',
        'hybrid needs vectors, and no embeddings endpoint is configured: send lexical, or set SVC_EMBEDDINGS_URL',
      );
    return isConfigured && semantic_profile !== 'lexical';
  }

  /** In the open unit of work, the lock held. */
  private async take(
    caller: DaemonCaller,
    request: LocalIngestRequest,
    planned: readonly PlannedVersion[],
  ): Promise<Taken> {
    const segment = await this.seal(caller, request, planned);
    const outcomes = await this.documents.publish(planned, segment.receiptId);
    checkOutcomes(planned, outcomes);
    const { segmentSeq, bytes, digest, sealedAt, receiptId, frames } = segment;
    const { corpus_id } = request;
    const sealed = { corpusId: corpus_id, frameCount: frames.length, frames: bytes };
    await this.store.recordSegment({ segmentSeq, digest, sealedAt, receiptId, ...sealed });
    const reported = {
      segment_seq: segmentSeq,
      frame_count: frames.length,
      segment_digest: namedDigest('blake3', digest),
      receipt_id: receiptId,
    };
    this.outbox.emit(segmentSealed({ corpus_id, ...reported }));
    const ingested = outcomes.filter(({ isNew }) => isNew).length;
    return {
      ingested,
      documents: outcomes.map(({ version, isNew, chunkCount }, index) => ({
        doc_id: frames[index]!.doc_id,
        version,
        status: isNew ? 'ingested' : 'unchanged',
        chunk_count: chunkCount,
        content_hash: frames[index]!.content_hash,
      })),
      ...reported,
      sealed: true,
      code: ingested > 0 ? 'INGESTED' : 'UNCHANGED',
      ...CAPS,
    };
  }

  /** Makes the segment and its receipt. */
  private async seal(
    caller: DaemonCaller,
    { corpus_id, semantic_profile }: LocalIngestRequest,
    planned: readonly PlannedVersion[],
  ): Promise<SealedSegment> {
    const tenant_id = this.tenancy.tenant;
    const segmentSeq = await this.store.nextSeq();
    const sealedAt = new Date().toISOString();
    const frames = planned.map(frameOf);
    const header = { tenant_id, corpus_id, segment_seq: segmentSeq, semantic_profile, sealed_at: sealedAt };
    const bytes = encodeSegment(header, frames);
    const digest = blake3(bytes);
    const receiptId = await this.audit.recordReceipt(caller, {
      kind: 'local.ingested',
      stream: EVIDENCE_STREAM,
      subject: `segment:${segmentSeq}`,
      receipt: {
        segment_seq: segmentSeq,
        segment_digest: namedDigest('blake3', digest),
        corpus_id,
        semantic_profile,
        frame_count: frames.length,
        documents: frames.map(({ doc_id, version, content_hash }) => ({ doc_id, version, content_hash })),
      },
    });
    return { segmentSeq, frames, bytes, digest, sealedAt, receiptId };
  }
}

const frameOf = ({ submission, version }: PlannedVersion): SegmentFrame => ({
  doc_id: submission.docId,
  version,
  title: submission.title,
  url: submission.url,
  content_type: (submission.metadata?.['contentType'] as string | undefined) ?? null,
  text: submission.content,
  content_hash: namedDigest('blake3', submission.contentHash),
});

/** @throws DocumentNotProcessable */
function checkOutcomes(planned: readonly PlannedVersion[], outcomes: readonly IngestedDocument[]): void {
  const index = outcomes.findIndex(({ error }) => error !== null);
  if (index < 0) return;
  const { docId } = planned[index]!.submission;
  throw new DocumentNotProcessable({ doc_id: docId, index }, `body.documents[${index}]: ${outcomes[index]!.error}`);
}
