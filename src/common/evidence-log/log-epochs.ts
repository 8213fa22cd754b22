import type { Query } from '../tenancy/cross-tenant.js';
import { blake3, digestBytes, namedDigest } from '../../evidence/digest.js';
import { draftEpoch, EPOCH_STREAM, epochOrigin, type LogEpoch } from '../../evidence/log-epoch.js';
import { SERVER_TENANT, type SignedReceipt } from '../../evidence/receipt.js';
import { signDraft } from '../../evidence/signer.js';
import type { EvidenceSigner } from '../../evidence/signing-key.js';

/** An epoch as it is stored. */
export interface StoredEpoch extends LogEpoch {
  /** The origin without the number. */
  readonly name: string;
  /** The receipt that is leaf 0: missing before a process that signs began the epoch, and of older logs. */
  readonly record: Uint8Array | null;
}

/** All epochs of the log, oldest first; none of a log that is older than they. */
export async function readEpochs(query: Query): Promise<StoredEpoch[]> {
  const rows = await query<EpochRow>('select * from log_epoch order by epoch');
  return rows.map((row) => ({
    epoch: row.epoch,
    origin: row.origin,
    name: row.name,
    previousOrigin: row.previous_origin,
    restored: row.restored_checkpoint,
    lastKnown: row.last_known_checkpoint,
    record: row.record,
  }));
}

/**
 * Begins an epoch in the open transaction of the operator, which has the log and gives the record its leaf: the one
 * that a restore has entered, or the first.
 * @returns its origin, and the digest of the record that has to be leaf 0
 */
export async function beginEpoch(
  query: Query,
  name: string,
  key: EvidenceSigner,
): Promise<{ origin: string; digest: Uint8Array }> {
  const entered = (await readEpochs(query)).at(-1);
  if (entered?.record) throw new Error(`the log of ${entered.origin} is gone from the database`);
  const first = { epoch: 1, origin: epochOrigin(name, 1), name, previousOrigin: null, restored: null, lastKnown: null };
  const epoch = entered ?? first;
  const receipt = await signDraft(draftEpoch(epoch, await lockStream(query), key), key, 'receipts');
  await query(ENTER, [epoch.epoch, epoch.origin, epoch.name, Buffer.from(receipt.cose)]);
  await store(query, receipt);
  return { origin: epoch.origin, digest: blake3(receipt.cose) };
}

/** The end of the server's stream of these receipts. */
async function lockStream(query: Query): Promise<Pick<SignedReceipt['payload'], 'seq' | 'prev'>> {
  const [head] = await query<{ seq: string; payload_hash: Buffer | null }>(
    'select seq, payload_hash from receipt_head where tenant_id = $1 and stream = $2 for update',
    [SERVER_TENANT, EPOCH_STREAM],
  );
  return {
    seq: Number(head?.seq ?? 0) + 1,
    prev: head?.payload_hash ? namedDigest('blake3', head.payload_hash) : null,
  };
}

/** As ReceiptsStore does within a unit of work, but that the record does not wait for a leaf. */
async function store(query: Query, { receiptId, payload, payloadHash, cose }: SignedReceipt): Promise<void> {
  await query(STORE, [
    payload.tenant_id,
    receiptId,
    payload.stream,
    payload.seq,
    payload.prev === null ? null : digestBytes('blake3', payload.prev),
    digestBytes('blake3', payloadHash),
    payload.kind,
    payload.actor,
    payload.subject,
    payload.occurred_at,
    Buffer.from(cose),
  ]);
}

interface EpochRow {
  epoch: number;
  origin: string;
  name: string;
  previous_origin: string | null;
  restored_checkpoint: string | null;
  last_known_checkpoint: string | null;
  record: Buffer | null;
}

const ENTER = `
  insert into log_epoch (epoch, origin, name, record) values ($1, $2, $3, $4)
  on conflict (epoch) do update set record = excluded.record`;
const STORE = `
  with head as (
    insert into receipt_head (tenant_id, stream, seq, payload_hash) values ($1, $3, $4, $6)
    on conflict (tenant_id, stream) do update set seq = excluded.seq, payload_hash = excluded.payload_hash
  )
  insert into receipt (tenant_id, receipt_id, stream, seq, prev_hash, payload_hash, kind, actor, subject, occurred_at, cose)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;
