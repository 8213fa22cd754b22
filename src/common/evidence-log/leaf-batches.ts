import { FACT_BATCH } from '../../evidence/fact-leaf.js';
import { BATCH_ACCEPTED, BATCH_COMPLETED } from '../../evidence/ingest-batch.js';
import { namedDigest } from '../../evidence/digest.js';
import { rootOfLeaves } from '../../evidence/leaf-tree.js';
import type { CborMap } from '../../evidence/cbor.js';
import type { Query } from '../tenancy/cross-tenant.js';
import type { StoredReceipt } from './evidence-look.types.js';
import { readBodies } from './receipt-bodies.js';
import { ERASURE_STREAM } from './removed-records.js';

/** What is stored of a batch: the ids of what it binds, and their leaf hashes one after another, in the same order. */
export interface StoredLeaves {
  readonly ids: readonly string[] | null;
  readonly leaves: Uint8Array | null;
}

export interface OpenLeaves {
  readonly ids: readonly string[];
  readonly leaves: readonly Uint8Array[];
}

/** What stands in the place of the id of what was erased. */
export const ERASED_ID = '00000000-0000-0000-0000-000000000000';

const HASH_BYTES = 32;

/**
 * The leaves of a batch, recomputed into the root that its receipt bears.
 * @param body of the receipt, with `count` and `root`
 * @throws Error saying what is wrong
 */
export function openLeaves({ count, root }: CborMap, { ids, leaves }: StoredLeaves): OpenLeaves {
  if (ids === null || leaves === null) throw new Error('its leaves are gone');
  const hashes = Array.from({ length: leaves.length / HASH_BYTES }, (_, n) =>
    leaves.subarray(n * HASH_BYTES, (n + 1) * HASH_BYTES),
  );
  if (count !== hashes.length || count !== ids.length || root !== namedDigest('sha256', rootOfLeaves(hashes)))
    throw new Error('its leaves do not make the root that the receipt bears');
  return { ids, leaves: hashes };
}

/** Kinds of the receipts over batches: their bodies have a count and a root. */
export const OF_BATCHES: readonly string[] = [FACT_BATCH, BATCH_ACCEPTED, BATCH_COMPLETED];

/** The first of some receipts, at least one, that together bind about so many things. */
export function firstReceipts<R extends StoredReceipt>(receipts: readonly R[], most: number): R[] {
  let bound = 0;
  let count = 0;
  for (; count < receipts.length && (count === 0 || bound < most); count++) bound += boundBy(receipts[count]!);
  return receipts.slice(0, count);
}

/**
 * How many rows it costs to look at a receipt. A batch of documents counts as many as it binds: each is read and hashed
 * with its passages. Facts are so small that a batch of them counts as one.
 */
export function rowsToLookAt(receipt: StoredReceipt): number {
  return receipt.kind === BATCH_ACCEPTED || receipt.kind === BATCH_COMPLETED ? boundBy(receipt) : 1;
}

function boundBy(receipt: StoredReceipt): number {
  const body = OF_BATCHES.includes(receipt.kind) ? readBodies([receipt])[0]?.body : undefined;
  return typeof body?.count === 'number' ? body.count : 1;
}

/** A batch whose leaves may have been erased. */
interface NamedBatch {
  readonly tenant_id: string;
  readonly receipt_id: string;
  readonly ids: readonly string[] | null;
}

interface ErasureBody {
  readonly batches: readonly { readonly receipt_id: string; readonly leaves: readonly number[] }[];
}

/**
 * Which leaves of these batches were erased, as receipts say.
 * @param kind of the receipts of erasures that name them: `batches`, each with `receipt_id` and `leaves`
 */
export async function readErasedLeaves(
  query: Query,
  batches: readonly NamedBatch[],
  kind: string,
): Promise<(batch: Omit<NamedBatch, 'ids'>, index: number) => boolean> {
  const tenants = new Set(batches.flatMap(({ tenant_id, ids }) => (ids?.includes(ERASED_ID) ? [tenant_id] : [])));
  if (tenants.size === 0) return () => false;
  const receipts = await query<StoredReceipt>(
    'select tenant_id, receipt_id, kind, cose from receipt where tenant_id = any($1) and kind = $2 and stream = $3',
    [[...tenants], kind, ERASURE_STREAM],
  );
  const names = readBodies(receipts).flatMap(({ tenantId, body }) =>
    (body as unknown as ErasureBody).batches.flatMap(({ receipt_id, leaves }) =>
      leaves.map((leaf) => leafName(tenantId, receipt_id, leaf)),
    ),
  );
  const erased = new Set(names);
  return ({ tenant_id, receipt_id }, index) => erased.has(leafName(tenant_id, receipt_id, index));
}

const leafName = (tenantId: string, receiptId: string, leaf: number): string => `${leaf} ${receiptId} ${tenantId}`;
