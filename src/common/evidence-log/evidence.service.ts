import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { OutboxRow } from '../outbox/outbox.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { isCborMap, toCbor, type CborMap } from '../../evidence/cbor.js';
import { digestBytes, type Digest } from '../../evidence/digest.js';
import { ReceiptUnknown } from './evidence-log.problems.js';
import { AutoSteps } from './auto-steps.js';
import { KeyRing } from './key-ring.js';
import { LogSequencer } from './log-sequencer.js';
import {
  draftReceipt,
  encodeRetrieval,
  openReceipt,
  openRetrieval,
  type ReceiptDraft,
  type RetrievalPayload,
  type RetrievalRecord,
  type SignedReceipt,
} from '../../evidence/receipt.js';
import { signDrafts } from '../../evidence/signer.js';
import type { EvidenceSigner } from '../../evidence/signing-key.js';
import { ReceiptsStore, type StreamHead } from './receipts.store.js';

/** What happened, to be receipted. */
export interface EvidenceEvent {
  /** Dotted: `ingest.accepted`. */
  readonly kind: string;
  /** The principal that acted: `key:<id>`. */
  readonly actor: string;
  /** What it is about: an id. */
  readonly subject: string;
  /**
   * The facts. A chunk is named by a map with `chunk_id` and `content_hash` (`blake3:<hex>`), so that a proof pack can
   * show its text.
   */
  readonly body: object;
  /** How the actor was authenticated: the caller's authType. */
  readonly authMode: string;
  /** The agent's session that the request named; the body says it as `session_id`, unless it names another. */
  readonly agentSession?: string | undefined;
  /** Chain within the tenant; `main` unless said otherwise. */
  readonly stream?: string;
}

export interface RecordedReceipt {
  /** UUID. */
  readonly receiptId: string;
  readonly payloadHash: Digest;
  readonly stream: string;
  readonly seq: number;
}

/** What a retrieval returned, to be recorded. */
export type RetrievalEvent = Pick<EvidenceEvent, 'actor' | 'authMode' | 'agentSession' | 'body'>;

const MAIN_STREAM = 'main';

/**
 * Makes and reads evidence inside the open unit of work: signed, chained execution receipts and unsigned retrieval
 * receipts (D31). Every record becomes a leaf of the transparency log soon after the unit of work commits.
 */
@Injectable()
export class EvidenceService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly receipts: ReceiptsStore,
    private readonly keys: KeyRing,
    private readonly sequencer: LogSequencer,
    private readonly steps: AutoSteps,
  ) {}

  /** Adds one receipt. From here to the commit other writers of the tenant's stream wait: call it late. */
  async record(event: EvidenceEvent): Promise<RecordedReceipt> {
    const [receipt] = await this.recordMany([event]);
    if (receipt === undefined) throw new Error('a receipt was not recorded');
    return receipt;
  }

  /**
   * Adds receipts in their order, with two round trips whatever their number; the answers are in the same order.
   * @param outbox events that are written with them
   */
  async recordMany(events: readonly EvidenceEvent[], outbox: readonly OutboxRow[] = []): Promise<RecordedReceipt[]> {
    if (events.length === 0) return [];
    const streams = [...new Set(events.map((event) => event.stream ?? MAIN_STREAM))].sort();
    const heads = await this.receipts.lockHeads(streams);
    const occurredAt = new Date().toISOString();
    const { active } = this.keys;
    const drafts = events.map((event) => this.draft(event, occurredAt, heads, active));
    const signed = await signDrafts(drafts, active, 'receipts');
    this.receipts.append(signed, [...heads.values()], outbox);
    this.steps.addRecords(signed.map(sessionRecordOf));
    this.tenancy.afterCommit(() => {
      this.sequencer.wake();
    });
    return signed.map(({ receiptId, payloadHash, payload: { stream, seq } }) => ({
      receiptId,
      payloadHash,
      stream,
      seq,
    }));
  }

  /** The receipts of what retrievals of the tenant returned, to be recorded by {@link recordRetrievals}. */
  draftRetrievals(tenantId: string, retrievals: readonly RetrievalEvent[]): RetrievalRecord[] {
    return retrievals.map(({ actor, authMode, ...event }) =>
      encodeRetrieval({
        ...{ v: 1, kind: 'retrieval', tenant_id: tenantId, occurred_at: new Date().toISOString() },
        ...{ actor, auth_mode: authMode, nonce: Uint8Array.from(randomBytes(16)), body: bodyOf(event) },
      }),
    );
  }

  /**
   * Records receipts of one tenant's retrievals by one round trip, in the open unit of work or alone; a receipt that
   * names a session asks for the former. Takes no lock: retrievals of one tenant do not wait for each other.
   * @param kept the retrievals that are stored with them, as svc_record_retrievals takes them
   */
  async recordRetrievals(
    tenantId: string,
    receipts: readonly RetrievalRecord[],
    kept: readonly object[] = [],
  ): Promise<void> {
    const wake = (): void => this.sequencer.wake();
    await this.receipts.appendRetrievals(tenantId, receipts, kept);
    this.steps.addRecords(receipts.map(sessionRecordOf));
    if (this.tenancy.isOpen) this.tenancy.afterCommit(wake);
    else wake();
  }

  /** The receipt with that UUID. @throws ReceiptUnknown */
  async read(receiptId: string): Promise<SignedReceipt> {
    const cose = (await this.receipts.findReceipts([receiptId])).get(receiptId);
    if (cose === undefined) throw new ReceiptUnknown({ receiptId }, 'No receipt with this id belongs to the tenant.');
    return openReceipt(cose);
  }

  /** The retrieval receipt `blake3:<hex>`. @throws ReceiptUnknown */
  async readRetrieval(receiptId: string): Promise<RetrievalPayload> {
    const record = (await this.receipts.findRetrievals([receiptId])).get(receiptId);
    if (record === undefined) throw new ReceiptUnknown({ receiptId }, 'No receipt with this id belongs to the tenant.');
    return openRetrieval(record).payload;
  }

  /** Ids and kinds of the receipts about a subject, oldest first. */
  findBySubject(subject: string): Promise<{ receiptId: string; kind: string }[]> {
    return this.receipts.findIdsBySubject(subject);
  }

  /** Makes the next receipt of its stream but for its signature, and moves the head in the map. */
  private draft(
    event: EvidenceEvent,
    occurredAt: string,
    heads: Map<string, StreamHead>,
    key: EvidenceSigner,
  ): ReceiptDraft {
    const stream = event.stream ?? MAIN_STREAM;
    const head = heads.get(stream);
    if (head === undefined) throw new Error(`the head of stream ${stream} was not locked`);
    const receipt = draftReceipt(
      {
        kind: event.kind,
        tenant_id: this.tenancy.tenant,
        stream,
        seq: head.seq + 1,
        prev: head.payloadHash === null ? null : `blake3:${Buffer.from(head.payloadHash).toString('hex')}`,
        occurred_at: occurredAt,
        actor: event.actor,
        auth_mode: event.authMode,
        subject: event.subject,
        body: bodyOf(event),
      },
      key,
    );
    heads.set(stream, { stream, seq: head.seq + 1, payloadHash: digestBytes('blake3', receipt.payloadHash) });
    return receipt;
  }
}

const sessionRecordOf = ({ receiptId, payload }: Pick<SignedReceipt, 'receiptId'> & { payload: AnyPayload }) => ({
  ...{ receiptId, kind: payload.kind, actor: payload.actor, occurredAt: payload.occurred_at },
  session: payload.body['session_id'],
});
type AnyPayload = Pick<RetrievalPayload, 'actor' | 'occurred_at' | 'body'> & { readonly kind: string };

function bodyOf({ body, agentSession }: Pick<EvidenceEvent, 'body' | 'agentSession'>): CborMap {
  const map = toCbor(agentSession === undefined ? body : { session_id: agentSession, ...body });
  if (!isCborMap(map)) throw new TypeError('the body of a receipt is an object');
  return map;
}
