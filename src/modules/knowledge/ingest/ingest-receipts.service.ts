import { Injectable } from '@nestjs/common';
import { EvidenceService } from '../../../common/evidence-log/evidence.service.js';
import { openLeaves } from '../../../common/evidence-log/leaf-batches.js';
import { namedDigest } from '../../../evidence/digest.js';
import { documentLeaf } from '../../../evidence/ingest-batch.js';
import { type LeafPlace, pathToRoot, rootOfLeaves } from '../../../evidence/leaf-tree.js';
import type { ReceiptPayload } from '../../../evidence/receipt.js';
import { IngestBatchesStore } from './ingest-batches.store.js';
import { BATCH_KINDS, type DocumentEvent, standsAlone } from './ingest-receipts.rules.js';

/** A document's leaf in the batch of a receipt. */
export interface LeafInBatch {
  readonly leaf: Uint8Array;
  /** The way from it to the root: made when it is asked for. */
  readonly place: () => LeafPlace;
}

/**
 * Makes and reads the receipts of ingests. Several documents that are accepted, or completed, in one transaction have
 * one receipt: the root of the Merkle tree over what the receipt of each alone would say.
 */
@Injectable()
export class IngestReceiptsService {
  constructor(
    private readonly evidence: EvidenceService,
    private readonly batches: IngestBatchesStore,
  ) {}

  /**
   * In the open unit of work, and late in it: other writers of the stream wait from here on.
   * @param events of one kind and actor
   * @returns the id of each one's receipt, in their order
   */
  async record(events: readonly DocumentEvent[]): Promise<string[]> {
    const [first] = events;
    if (!first || events.length === 1 || events.some(standsAlone)) return this.recordEach(events);
    const leaves = events.map(({ body }) => documentLeaf(body));
    const body = { count: leaves.length, root: namedDigest('sha256', rootOfLeaves(leaves)) };
    const { receiptId } = await this.evidence.record({
      ...{ ...first, kind: BATCH_KINDS[first.kind], subject: 'documents', body },
    });
    const ids = events.map((event) => event.body.ingest_id);
    await this.batches.add(receiptId, { ids, leaves: Buffer.concat(leaves) });
    return ids.map(() => receiptId);
  }

  /** The same, with a receipt for each. */
  async recordEach(events: readonly DocumentEvent[]): Promise<string[]> {
    const receipts = await this.evidence.recordMany(events.map((one) => ({ ...one, subject: one.body.ingest_id })));
    return receipts.map(({ receiptId }) => receiptId);
  }

  /**
   * The leaf of an ingest in the batch of a receipt.
   * @throws Error where the batch is not whole, or is of other ingests
   */
  async findLeaf(receiptId: string, { body }: ReceiptPayload, ingestId: string): Promise<LeafInBatch> {
    const { ids, leaves } = openLeaves(body, await this.batches.find(receiptId));
    const index = ids.indexOf(ingestId);
    if (index < 0) throw new Error(`the receipt ${receiptId} is of other ingests`);
    const path = () => pathToRoot(leaves, index).map((hash) => namedDigest('sha256', hash));
    return { leaf: leaves[index]!, place: () => ({ index, path: path() }) };
  }
}
