import { Injectable } from '@nestjs/common';
import { isForeign, namesOf, passageOf } from '../../../../evidence/content-bindings.js';
import { BLAKE3_DIGEST } from '../../../../evidence/digest-forms.js';
import { blake3, blake3Digest } from '../../../../evidence/digest.js';
import { ReceiptUnknown } from '../../../../common/evidence-log/evidence-log.problems.js';
import { EvidenceService } from '../../../../common/evidence-log/evidence.service.js';
import { LogReader } from '../../../../common/evidence-log/log-reader.js';
import { LogSequencer } from '../../../../common/evidence-log/log-sequencer.js';
import type { ContentBinding } from '../../../../evidence/pack-format.js';
import { ProofPacks, type PackRequest } from '../../../../common/evidence-log/proof-packs.js';
import type { SignedReceipt } from '../../../../evidence/receipt.js';
import { isUuid } from '../../../../common/ids/uuid-form.js';
import { CrossTenant } from '../../../../common/tenancy/cross-tenant.js';
import { AnswersService } from '../../citations/answers.service.js';
import { BindingsService } from '../../ingest/bindings.service.js';
import type { RecordedPassage } from '../../ingest/content.types.js';
import type { ProofLogEntry, ProofPackFile, ProofReceipt } from '../proof-receipts.dto.js';
import { PROOF_CONTRACT } from '../proofs.types.js';
import type { ProofJob } from './proof-job.types.js';
import { ProofJobsStore } from './proof-jobs.store.js';

/** Shows receipts and makes proof packs. Needs an open unit of work. */
@Injectable()
export class ProofReceiptsService {
  constructor(
    private readonly evidence: EvidenceService,
    private readonly packs: ProofPacks,
    private readonly sequencer: LogSequencer,
    private readonly crossTenant: CrossTenant,
    private readonly store: ProofJobsStore,
    private readonly answers: AnswersService,
    private readonly bindings: BindingsService,
  ) {}

  async readReceipt(receiptId: string, ok: boolean): Promise<ProofReceipt> {
    const { payload, cose } = await this.evidence.read(receiptId);
    return {
      ok,
      contract: PROOF_CONTRACT,
      receiptId,
      kind: payload.kind,
      subject: payload.subject,
      occurredAt: payload.occurred_at,
      actor: payload.actor,
      authMode: payload.auth_mode,
      stream: payload.stream,
      seq: payload.seq,
      prev: payload.prev,
      bodyHash: payload.body_hash,
      body: payload.body,
      cose: Buffer.from(cose).toString('base64'),
      log: await this.findLogEntry(cose),
      links: { proofpack: `/v1/proof/receipts/${receiptId}/proofpack` },
    };
  }

  /** The pack of an execution receipt, or of a retrieval receipt `blake3:<hex>`. */
  async readPack(receiptId: string, earlierCheckpoints: readonly string[]): Promise<ProofPackFile> {
    const file = await this.packs.make({ ...(await this.contentsOf(receiptId)), earlierCheckpoints });
    // A pack is canonical JSON (RFC 8785), which is what JSON.stringify makes of it again: the answer is the file, byte
    // for byte.
    return JSON.parse(Buffer.from(file).toString('utf8')) as ProofPackFile;
  }

  private async contentsOf(receiptId: string): Promise<PackRequest> {
    if (BLAKE3_DIGEST.test(receiptId)) {
      return { subject: { type: 'retrieval', id: receiptId }, receiptIds: [receiptId], chunks: [] };
    }
    if (!isUuid(receiptId)) throw new ReceiptUnknown({ receiptId }, 'No receipt with this id belongs to the tenant.');
    const job = await this.store.findByReceipt(receiptId);
    const receipt = await this.evidence.read(receiptId);
    if (job) return this.contentsOfProof(job, receipt);
    const { kind, subject } = receipt.payload;
    if (kind === 'answer.recorded') return this.contentsOfAnswer(receipt);
    return { subject: { type: kind, id: subject }, receiptIds: [receiptId], chunks: [] };
  }

  /** The proof, every receipt it rests on, and the texts it found intact. */
  private async contentsOfProof({ jobId, subject, reliesOn }: ProofJob, receipt: SignedReceipt): Promise<PackRequest> {
    const chunks = await this.store.findChunks(jobId, -1, null);
    return this.withTexts(receipt, {
      subject: { type: subject.type, id: subject.id },
      receiptIds: [receipt.receiptId, ...reliesOn],
      texts: chunks.map((chunk) => ({ ...chunk, content: chunk.content ?? '' })),
    });
  }

  private async contentsOfAnswer(receipt: SignedReceipt): Promise<PackRequest> {
    const { receiptId, payload } = receipt;
    const { answer, citations } = await this.answers.readAnswer(payload.subject, Number(payload.body.version));
    const search = answer.retrieval;
    const behind = [search?.receiptId, search?.executionReceiptId].filter((id) => typeof id === 'string');
    return this.withTexts(receipt, {
      subject: { type: 'answer', id: payload.subject },
      receiptIds: [receiptId, ...behind],
      texts: citations.map(({ chunk }) => chunk),
    });
  }

  /**
   * Shows the texts that a receipt names: each with the path to the receipt of its ingest. What has none is another
   * tenant's, and its receipt says so, or is left out.
   */
  private async withTexts(receipt: SignedReceipt, { subject, receiptIds, texts }: Shown): Promise<PackRequest> {
    const intact = [...new Map(texts.filter(isIntact).map((text) => [text.chunkId, text])).values()];
    const bindings = await this.bindings.bind(intact);
    const chunks = intact
      .map((text, n) => packChunk(text, receipt.receiptId, bindings[n]!))
      .filter((chunk) => {
        const passage = passageOf(chunk);
        return chunk.binding !== null || isForeign(namesOf(receipt.payload.body, passage));
      });
    const ingests = this.bindings.receiptsOf(chunks.map(({ binding }) => binding));
    return { subject, receiptIds: [...receiptIds, ...ingests], chunks };
  }

  /** Where the receipt stands in the log, after waiting for it to be integrated. */
  private async findLogEntry(cose: Uint8Array): Promise<ProofLogEntry | null> {
    const found = await this.lookUp(cose);
    if (found) return found;
    await this.sequencer.integrate();
    return this.lookUp(cose);
  }

  private lookUp(cose: Uint8Array): Promise<ProofLogEntry | null> {
    return this.crossTenant.run('read log', async (query) => {
      const log = new LogReader(query);
      const [leafIndex] = (await log.findLeaves([blake3(cose)])).values();
      const head = await log.findHead();
      if (leafIndex === undefined || head === undefined) return null;
      return { leafIndex, treeSize: head.size, checkpoint: head.checkpoint };
    });
  }
}

interface Shown {
  subject: PackRequest['subject'];
  receiptIds: string[];
  texts: ShownText[];
}

type ShownText = RecordedPassage & { readonly content: string };

/** Only a text that is what was recorded can be shown with its digest. */
const isIntact = ({ content, contentHash }: ShownText): boolean => blake3Digest(content) === contentHash;

const packChunk = (text: ShownText, receiptId: string, binding: ContentBinding | null) => ({
  chunk_id: text.chunkId,
  content: text.content,
  content_hash: text.contentHash,
  corpus_id: text.corpusId,
  doc_id: text.docId,
  receipt_id: receiptId,
  version: text.docVersion,
  binding,
});
