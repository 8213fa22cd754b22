import { openLeaves } from '../../../common/evidence-log/leaf-batches.js';
import { type BoundFact, FACT_BATCH, factLeaf } from '../../../evidence/fact-leaf.js';
import { openReceipt } from '../../../evidence/receipt.js';
import { shortestFloat } from './facts.rules.js';
import type { BoundRow } from './facts.types.js';

/** The columns of a BoundRow of `fact f`. */
export const BOUND_COLUMNS = `f.seq, f.fact_id, f.owner, f.entity, f.key, f.version, f.value, f.tombstone, f.actor, f.actor_claimed, f.written_by,
  f.confidence, f.horizon_class, f.tenant_hash, f.source_receipt, f.stored_at, f.valid_from, f.valid_to, f.receipt_id, f.leaf_index, f.sources_digest`;

/** What is stored of a batch: the receipt, the ids of its facts, and their leaf hashes one after another. */
export interface BatchRow {
  cose: Uint8Array | null;
  facts: readonly string[] | null;
  leaves: Uint8Array | null;
}

export interface OpenBatch {
  readonly facts: readonly string[];
  readonly leaves: readonly Uint8Array[];
  readonly occurredAt: string;
}

/**
 * The batch of a receipt, its leaves recomputed into the root that was signed. The signature itself is checked with
 * those of all receipts.
 * @throws Error saying what is wrong
 */
export function openBatch({ cose, facts, leaves }: BatchRow): OpenBatch {
  if (cose === null) throw new Error('there is no such receipt');
  const { kind, occurred_at, body } = openReceipt(Uint8Array.from(cose)).payload;
  if (kind !== FACT_BATCH) throw new Error('its receipt is of another kind');
  const opened = openLeaves(body, { ids: facts, leaves });
  return { facts: opened.ids, leaves: opened.leaves, occurredAt: occurred_at };
}

/** What a batch binds of a record. */
export const boundRow = (row: BoundRow): BoundFact => ({
  fact_id: row.fact_id,
  owner: row.owner,
  entity: row.entity,
  key: row.key,
  version: row.version,
  value: row.value,
  tombstone: row.tombstone,
  actor: row.actor,
  actor_claimed: row.actor_claimed,
  written_by: row.written_by ?? '',
  confidence: Math.fround(row.confidence),
  horizon_class: row.horizon_class,
  tenant_hash: row.tenant_hash,
  source_receipt: row.source_receipt,
  valid_from: row.valid_from?.toISOString() ?? null,
  valid_to: row.valid_to?.toISOString() ?? null,
  ...(row.sources_digest === null ? {} : { sources_digest: row.sources_digest }),
});

/** Whether a record is the one that stands at its place in the batch. */
export function isBoundBy(row: BoundRow, { facts, leaves, occurredAt }: OpenBatch): boolean {
  const leaf = leaves[row.leaf_index ?? -1];
  return (
    leaf !== undefined &&
    facts[row.leaf_index!] === row.fact_id &&
    row.stored_at.toISOString() === occurredAt &&
    formsOf(row).some((fact) => Buffer.compare(factLeaf(fact), leaf) === 0)
  );
}

/** Deletions were once bound with the confidence in its fewest digits, 0.95, which is not the 32-bit float itself. */
function formsOf(row: BoundRow): BoundFact[] {
  const fact = boundRow(row);
  return row.tombstone ? [fact, { ...fact, confidence: shortestFloat(row.confidence) }] : [fact];
}
