import { UNATTESTED } from '../../../common/evidence-log/audit-trail.js';
import { Injectable } from '@nestjs/common';
import { boundedCache } from '../../../common/caches/bounded-cache.js';
import { KeyRing } from '../../../common/evidence-log/key-ring.js';
import { blake3, type Digest, namedDigest } from '../../../evidence/digest.js';
import { FACT_BATCH, factLeaf } from '../../../evidence/fact-leaf.js';
import { rootOfLeaves } from '../../../evidence/leaf-tree.js';
import { draftReceipt, type SignedReceipt } from '../../../evidence/receipt.js';
import { signDraft } from '../../../evidence/signer.js';
import type { FactDraft, FactWriter, StoredFact } from './facts.types.js';
import { boundDraft, shortestFloat } from './facts.rules.js';

/** A draft with the version that it is expected to get. */
export type PlacedDraft = FactDraft & { version: number };

/** Facts that are stored together, with the receipt over them. */
export interface FactBatch {
  readonly tenantId: string;
  readonly lane: string;
  readonly drafts: readonly PlacedDraft[];
  readonly receipt: SignedReceipt;
  /** Whether the place in the stream is known from the receipt before, and not the beginning for want of one. */
  readonly isHeadKnown: boolean;
  /** As the functions of the database take it. */
  readonly parameter: string;
}

/** What a batch did not fit by, as the database says it (SF001). */
export interface Misfit {
  readonly seq?: number;
  readonly payload_hash?: string | null;
  /** A time that would be taken, in milliseconds. */
  readonly at?: number | null;
  /** Versions that would be, by places from 1. */
  readonly versions?: Readonly<Record<string, number>>;
}

interface Head {
  seq: number;
  payloadHash: Digest | null;
}

const MAX_HEADS = 4096;
const MAX_CHAINS = 50_000;
/** Streams of one name: processes that write to a tenant at once take different ones. */
const MAX_LANES = 16;

/**
 * Makes the receipts of facts before the facts are stored, so that both are stored in one round trip: for the place in
 * their stream, the time and the versions that are expected. The database refuses what does not fit and says what
 * would; the batch is then signed again. A place that another process took means that it writes there: this one goes on
 * in a stream of its own.
 */
@Injectable()
export class FactReceipts {
  private readonly heads = boundedCache<Head>(MAX_HEADS);
  private readonly lanes = boundedCache<number>(MAX_HEADS);
  private readonly versions = boundedCache<number>(MAX_CHAINS);
  /** What the clock of the database is ahead, in milliseconds. */
  private aheadMs = 0;

  constructor(private readonly keys: KeyRing) {}

  async sign(tenantId: string, lane: string, drafts: readonly FactDraft[], by: FactWriter): Promise<FactBatch> {
    const number = this.lanes.get(`${lane} ${tenantId}`) ?? 1;
    const stream = number === 1 ? lane : `${lane}.${number}`;
    const head = this.heads.get(`${stream} ${tenantId}`);
    const placed = this.place(tenantId, drafts);
    const leaves = placed.map((draft) => factLeaf(boundDraft(draft)));
    const session = by.agentSession || undefined;
    const { active } = this.keys;
    const draft = draftReceipt(
      {
        kind: FACT_BATCH,
        tenant_id: tenantId,
        stream,
        seq: (head?.seq ?? 0) + 1,
        prev: head?.payloadHash ?? null,
        occurred_at: new Date(Date.now() + this.aheadMs).toISOString(),
        actor: by.principal,
        auth_mode: by.authType,
        subject: 'facts',
        body: {
          count: drafts.length,
          root: namedDigest('sha256', rootOfLeaves(leaves)),
          ...(session === undefined ? {} : { session_id: session }),
          ...(by.isUnattested ? UNATTESTED : {}),
        },
      },
      active,
    );
    const receipt = await signDraft(draft, active, 'receipts');
    const parameter = parameterOf(receipt, placed, leaves, session);
    return { tenantId, lane, drafts: placed, receipt, isHeadKnown: head !== undefined, parameter };
  }

  /** What was stored, for the replies; the next batch goes on after it. */
  learn({ tenantId, drafts, receipt }: FactBatch): StoredFact[] {
    const { stream, seq, occurred_at } = receipt.payload;
    this.heads.set(`${stream} ${tenantId}`, { seq, payloadHash: receipt.payloadHash });
    const stored_at = new Date(occurred_at);
    return drafts.map((draft) => {
      this.versions.set(chainOf(tenantId, draft), draft.version);
      const { fact_id, version, confidence, sources } = draft;
      const receipt_id = receipt.receiptId;
      return { fact_id, version, stored_at, confidence: shortestFloat(confidence), receipt_id, sources };
    });
  }

  /** @param keepsLane in a stream whose head is only read under its lock, so that nobody else can be writing there */
  correct({ tenantId, lane, drafts, receipt, isHeadKnown }: FactBatch, misfit: Misfit, keepsLane: boolean): void {
    if (misfit.seq !== undefined) {
      const payloadHash = misfit.payload_hash ? (`blake3:${misfit.payload_hash}` as const) : null;
      this.heads.set(`${receipt.payload.stream} ${tenantId}`, { seq: misfit.seq, payloadHash });
      const number = this.lanes.get(`${lane} ${tenantId}`) ?? 1;
      if (isHeadKnown && !keepsLane) this.lanes.set(`${lane} ${tenantId}`, (number % MAX_LANES) + 1);
    }
    if (misfit.at !== undefined && misfit.at !== null) this.aheadMs = misfit.at - Date.now();
    // The first of a chain that is named is the first that does not fit.
    for (const [place, version] of Object.entries(misfit.versions ?? {}))
      this.versions.set(chainOf(tenantId, drafts[Number(place) - 1]!), version - 1);
  }

  /** Whose next version is known from the database, and a time that is not before its last. */
  expect(
    tenantId: string,
    last: Pick<FactDraft, 'owner' | 'entity' | 'key'> & { version: number; stored_at: Date },
  ): void {
    this.versions.set(chainOf(tenantId, last), last.version);
    this.aheadMs = Math.max(this.aheadMs, last.stored_at.getTime() - Date.now());
  }

  private place(tenantId: string, drafts: readonly FactDraft[]): PlacedDraft[] {
    const taken = new Map<string, number>();
    return drafts.map((draft) => {
      const chain = chainOf(tenantId, draft);
      const version = (taken.get(chain) ?? this.versions.get(chain) ?? 0) + 1;
      taken.set(chain, version);
      return { ...draft, version };
    });
  }
}

const chainOf = (tenantId: string, { owner, entity, key }: Pick<FactDraft, 'owner' | 'entity' | 'key'>): string =>
  JSON.stringify([tenantId, owner, entity, key]);

const bytea = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString('hex')}`;
const byteaOf = (digest: Digest): string => `\\x${digest.slice(digest.indexOf(':') + 1)}`;

/** Undefined, and so no member of the parameter, where no fact names any. */
function sourceRows(drafts: readonly FactDraft[]): object[] | undefined {
  const rows = drafts.flatMap(({ fact_id, sources = [] }) =>
    sources.map(({ id, ...source }, position) => ({ fact_id, position, source_id: id, ...source })),
  );
  return rows.length > 0 ? rows : undefined;
}

function parameterOf(
  { receiptId, payload, payloadHash, cose }: SignedReceipt,
  drafts: readonly FactDraft[],
  leaves: readonly Uint8Array[],
  session: string | undefined,
): string {
  return JSON.stringify({
    stream: payload.stream,
    seq: payload.seq,
    prev: payload.prev && byteaOf(payload.prev),
    receipt_id: receiptId,
    payload_hash: byteaOf(payloadHash),
    actor: payload.actor,
    session,
    occurred_at: payload.occurred_at,
    cose: bytea(cose),
    digest: bytea(blake3(cose)),
    facts: drafts.map(({ fact_id }) => fact_id),
    leaves: bytea(Buffer.concat(leaves)),
    sources: sourceRows(drafts),
  });
}
