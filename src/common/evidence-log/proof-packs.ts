import { Injectable } from '@nestjs/common';
import { base64 } from '../../evidence/base64.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { parseCheckpoint, verifyCheckpoint } from '../../evidence/checkpoint.js';
import { blake3, digestBytes } from '../../evidence/digest.js';
import { ReceiptUnknown } from './evidence-log.problems.js';
import { KeyRing } from './key-ring.js';
import { carriersOf } from './known-keys.js';
import { type LogProof, LogProofs, notLogged } from './log-proofs.js';
import { LogSequencer } from './log-sequencer.js';
import { type FileTimestamp, signTimestamps } from '../../evidence/file-timestamps.js';
import { draftPack } from '../../evidence/pack.js';
import type { LogPosition, PackChunk, PackReceipt, PackRetrieval } from '../../evidence/pack-format.js';
import { openReceipt } from '../../evidence/receipt.js';
import type { PublicJwk, VerifyingKey } from '../../evidence/signing-key.js';
import { signDraft } from '../../evidence/signer.js';
import { ReceiptsStore } from './receipts.store.js';

export interface PackRequest {
  /** What the pack is about: `{ type: 'answer', id }`. */
  readonly subject: { readonly type: string; readonly id: string };
  /** UUIDs of execution receipts and `blake3:<hex>` of retrieval receipts; doubles count once. */
  readonly receiptIds: readonly string[];
  /** Texts to show; the receipt named must be among the above and name the chunk. */
  readonly chunks: readonly PackChunk[];
  /** Checkpoints handed out before, which the pack's checkpoint is to be shown to extend. */
  readonly earlierCheckpoints?: readonly string[];
}

interface ExecutionRecord {
  readonly receiptId: string;
  readonly cose: Uint8Array;
  readonly kid: string;
  readonly digest: Uint8Array;
}
interface RetrievalRecord {
  readonly receiptId: string;
  readonly cbor: Uint8Array;
}

/** Makes proof packs (D33): one file that verifies offline. docs/formats/proof-pack.md says what is in it. */
@Injectable()
export class ProofPacks {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly receipts: ReceiptsStore,
    private readonly sequencer: LogSequencer,
    private readonly proofs: LogProofs,
    private readonly keys: KeyRing,
  ) {}

  /**
   * Call it inside a unit of work, after the one that recorded the receipts is committed. Brings the log up to date
   * first.
   * @returns the file: send it as it is, its bytes are sealed
   * @throws ReceiptUnknown, ReceiptNotLogged
   */
  async make(request: PackRequest): Promise<Uint8Array> {
    const executions = await this.readExecutions(request.receiptIds);
    const retrievals = await this.readRetrievals(request.receiptIds);
    await this.sequencer.integrate();
    const proof = await this.proofs.prove(
      [
        ...executions.map(({ receiptId, digest }) => ({ receiptId, digest })),
        ...retrievals.map(({ receiptId }) => ({ receiptId, digest: digestBytes('blake3', receiptId) })),
      ],
      request.earlierCheckpoints ?? [],
      { isStamped: true },
    );
    const { keys, statements } = await this.keysFor(executions, proof);
    const { forExports } = this.keys;
    const draft = draftPack(
      {
        checkpoint: proof.head.checkpoint,
        chunks: request.chunks.map((chunk) => ({ ...chunk, binding: chunk.binding ?? null })),
        consistency: proof.consistency,
        epoch: proof.epoch,
        keys,
        made_at: new Date().toISOString(),
        receipts: executions.map((record, n) => packReceipt(record, proof.positions[n])),
        retrievals: retrievals.map((record, n) => packRetrieval(record, proof.positions[executions.length + n])),
        statements,
        subject: request.subject,
        tenant_id: this.tenancy.tenant,
        ...(await this.timestampsOf(proof)),
      },
      forExports,
    );
    return signDraft(draft, forExports, 'exports');
  }

  private async timestampsOf({ timestamps }: LogProof): Promise<{ timestamps?: FileTimestamp[] }> {
    if (timestamps.length === 0) return {};
    return { timestamps: await signTimestamps(this.keys.forExports, timestamps) };
  }

  /** In ascending order of stream and seq, as the format asks. */
  private async readExecutions(receiptIds: readonly string[]): Promise<ExecutionRecord[]> {
    const wanted = [...new Set(receiptIds.filter((id) => !id.startsWith('blake3:')))];
    const found = await this.receipts.findReceipts(wanted);
    const opened = wanted.map((receiptId) => {
      const cose = found.get(receiptId);
      if (cose === undefined) throw unknown(receiptId);
      return { ...openReceipt(cose), digest: blake3(cose) };
    });
    return opened.sort((a, b) => compare(a.payload.stream, b.payload.stream) || a.payload.seq - b.payload.seq);
  }

  private async readRetrievals(receiptIds: readonly string[]): Promise<RetrievalRecord[]> {
    const wanted = [...new Set(receiptIds.filter((id) => id.startsWith('blake3:')))];
    const found = await this.receipts.findRetrievals(wanted);
    return wanted.map((receiptId) => {
      const cbor = found.get(receiptId);
      if (cbor === undefined) throw unknown(receiptId);
      return { receiptId, cbor };
    });
  }

  /** The keys that signed anything in the pack, and the one that will seal it, with the chain that leads to them. */
  private async keysFor(
    executions: readonly ExecutionRecord[],
    proof: LogProof,
  ): Promise<{ keys: PublicJwk[]; statements: string[] }> {
    const kids = new Set([...executions.map((record) => record.kid), this.keys.forExports.kid]);
    if (proof.head.epoch) kids.add(openReceipt(proof.head.epoch).kid);
    const checkpoints = [proof.head, ...proof.consistency].map((item) => parseCheckpoint(item.checkpoint));
    const isNeeded = (key: VerifyingKey): boolean =>
      kids.has(key.kid) || checkpoints.some((checkpoint) => verifyCheckpoint(checkpoint, key));
    return carriersOf(await this.keys.list(), ({ key }) => isNeeded(key));
  }
}

const unknown = (receiptId: string): ReceiptUnknown =>
  new ReceiptUnknown({ receiptId }, 'No receipt with this id belongs to the tenant.');

function packReceipt(record: ExecutionRecord, position: LogPosition | undefined): PackReceipt {
  if (position === undefined) throw notLogged(record.receiptId);
  return { ...position, cose: base64(record.cose), receipt_id: record.receiptId };
}

function packRetrieval(record: RetrievalRecord, position: LogPosition | undefined): PackRetrieval {
  if (position === undefined) throw notLogged(record.receiptId);
  return { ...position, cbor: base64(record.cbor), receipt_id: record.receiptId };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
