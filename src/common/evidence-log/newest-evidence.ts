import { blake3, namedDigest } from '../../evidence/digest.js';
import type { Query } from '../tenancy/cross-tenant.js';
import { isErased, keysById, type LookBasis } from './evidence-look.js';
import type { KnownKeys } from './known-keys.js';
import type { EvidenceFault, ReceiptedRows, StoredReceipt, SubjectCheck } from './evidence-look.types.js';
import { blocksOf, placeOf } from './receipted-rows.js';
import { checkReceipt, checkRetrieval, type WholeReceiptRow, type WholeRetrievalRow } from './record-rows.js';
import { readRemovedDigests, readRemovedLeaves } from './removed-records.js';

/** The last blocks of a table's file: where PostgreSQL puts new rows, and the new versions of changed ones. */
const NEWEST_BLOCKS = 16;
/** Of what receipts over batches bind. */
const NEWEST_BOUND = 500;

export interface NewestEvidence {
  readonly examined: number;
  readonly faults: readonly EvidenceFault[];
}

/**
 * What was written or changed lately: the newest receipts against signature, columns and the receipt before, those of
 * retrievals against their columns, what receipts speak of against them, and the newest rows of the modules against
 * the receipts that speak of those.
 */
export async function examineNewest(query: Query, { checks, keys: known }: LookBasis): Promise<NewestEvidence> {
  const faults: EvidenceFault[] = [];
  const sink = (check: string, subject: string) => ({
    add: (detail: string) => void faults.push({ check, subject, detail }),
  });
  const receipts = await newestReceipts(query);
  const keys = await keysById(query, known);
  for (const row of receipts) checkReceipt(row, before(row), keys, sink('receipts', row.receipt_id));
  for (const row of receipts.filter(({ has_before }) => !has_before))
    sink('receipts', row.receipt_id).add(
      `receipt ${row.receipt_id} of tenant ${row.tenant_id}: the receipt before it in stream ${row.stream} is gone`,
    );
  for (const { receipt_id, digest } of await withoutLeaf(query, receipts))
    sink('receipts', receipt_id).add(`record ${namedDigest('blake3', digest)} has no leaf and waits for none`);
  const retrievals = await newestRetrievals(query);
  for (const row of retrievals) checkRetrieval(row, sink('retrievals', namedDigest('blake3', row.record_digest)));
  let examined = receipts.length + retrievals.length;
  for (const check of checks) {
    const about = await receiptsFor(query, check, receipts);
    await check.check(query, about, (receiptId) => sink(check.name, receiptId), NEWEST_BOUND);
    examined += about.length;
  }
  return { examined, faults };
}

/** Those of the newest receipts that a check wants, and those that its newest rows name. */
async function receiptsFor(
  query: Query,
  { kinds, rows }: SubjectCheck,
  newest: readonly NewestReceipt[],
): Promise<StoredReceipt[]> {
  const wanted = new Map<string, StoredReceipt>();
  const keep = (row: StoredReceipt) => wanted.set(`${row.receipt_id}/${row.tenant_id}`, row);
  for (const row of newest) if (!row.is_erased && kinds.includes(row.kind)) keep(row);
  for (const source of rows)
    for (const row of await newestNamed(query, source)) if (kinds.includes(row.kind)) keep(row);
  return [...wanted.values()];
}

async function newestReceipts(query: Query): Promise<NewestReceipt[]> {
  const from = (await blocksOf(query, { table: 'receipt' })) - NEWEST_BLOCKS;
  return query<NewestReceipt>(NEWEST_RECEIPTS, [placeOf(Math.max(0, from))]);
}

async function newestRetrievals(query: Query): Promise<WholeRetrievalRow[]> {
  const from = (await blocksOf(query, { table: 'retrieval_receipt' })) - NEWEST_BLOCKS;
  return query<WholeRetrievalRow>(NEWEST_RETRIEVALS, [placeOf(Math.max(0, from))]);
}

async function newestNamed(query: Query, source: ReceiptedRows): Promise<StoredReceipt[]> {
  const blocks = await blocksOf(query, source);
  const range = [placeOf(Math.max(0, blocks - NEWEST_BLOCKS)), placeOf(blocks)];
  return query<StoredReceipt>(
    `select r.tenant_id, r.receipt_id, r.kind, r.cose from (select distinct tenant_id, receipt_id from (${source.receipts}) any_of) n
     join receipt r on r.tenant_id = n.tenant_id and r.receipt_id = n.receipt_id
     where not ${isErased('r')}`,
    range,
  );
}

async function withoutLeaf(query: Query, receipts: readonly NewestReceipt[]) {
  const digests = new Map(
    receipts.map(({ cose, receipt_id }) => [Buffer.from(blake3(cose)).toString('hex'), receipt_id]),
  );
  const lost = await query<{ digest: Buffer }>(WITHOUT_LEAF, [
    [...digests.keys()].map((hex) => Buffer.from(hex, 'hex')),
  ]);
  return lost.map(({ digest }) => ({ digest, receipt_id: digests.get(digest.toString('hex'))! }));
}

/** Where the receipt says that it follows. */
const before = ({ tenant_id: tenantId, stream, seq, prev_hash }: WholeReceiptRow) =>
  prev_hash === null
    ? { tenantId: '', stream: '', seq: 0, payloadHash: null }
    : { tenantId, stream, seq: Number(seq) - 1, payloadHash: namedDigest('blake3', prev_hash) };

interface NewestReceipt extends WholeReceiptRow {
  has_before: boolean;
}

export interface RecordCount {
  /** Receipts and retrieval receipts. */
  readonly records: number;
  /** Leaves, and records that wait for one, less the leaves whose records were removed lawfully. */
  readonly expected: number;
  /** Some tenant is just being erased: a record may be there that is accounted for already. */
  readonly isErasing: boolean;
}

/**
 * Counts records and leaves: a record that was removed, wherever, is one too few. Takes time in proportion to the
 * records.
 */
export async function countRecords(query: Query, keys: KnownKeys): Promise<RecordCount> {
  const [row] = await query<{ records: string; expected: string; is_erasing: boolean }>(COUNT);
  const known = await keysById(query, keys);
  const removed = new Set<number>();
  for (const [first, count] of await readRemovedLeaves(query, known))
    for (let leaf = first; leaf < first + count; leaf += 1) removed.add(leaf);
  const digests = (await readRemovedDigests(query, known)).map((digest) => Buffer.from(digest));
  const [waiting] = await query<{ removed: string }>(WAITING_REMOVED, [digests]);
  return {
    records: Number(row!.records),
    expected: Number(row!.expected) - removed.size - Number(waiting!.removed),
    isErasing: row!.is_erasing,
  };
}

/** What a count says is amiss; undefined: nothing. */
export function describeCount({ records, expected, isErasing }: RecordCount): EvidenceFault | undefined {
  const named = { check: 'count', subject: 'records' };
  if (records < expected)
    return {
      ...named,
      detail: `${expected - records} records of the log are gone: it has ${expected}, ${records} are there`,
    };
  if (records > expected && !isErasing)
    return { ...named, detail: `${records - expected} records have no leaf of the log and wait for none` };
  return undefined;
}

const NEWEST_RECEIPTS = `
  select r.tenant_id, r.receipt_id, r.stream, r.seq, r.prev_hash, r.payload_hash, r.kind, r.actor, r.subject, r.occurred_at, r.cose,
    r.session, r.ingested_at is null as is_older, e.is_erased, true as has_head, r.seq = 1 or e.is_erased or exists (
      select from receipt p where p.tenant_id = r.tenant_id and p.stream = r.stream and p.seq = r.seq - 1 and p.payload_hash = r.prev_hash
    ) or exists (
      select from erased_receipt p where p.tenant_id = r.tenant_id and p.stream = r.stream and p.seq = r.seq - 1 and p.payload_hash = r.prev_hash
    ) as has_before
  from receipt r cross join lateral (
    select ${isErased('r')} as is_erased
  ) e
  where r.ctid >= $1::tid`;
const NEWEST_RETRIEVALS = `
  select tenant_id, record_digest, actor, occurred_at, record, session, ingested_at is null as is_older
  from retrieval_receipt where ctid >= $1::tid`;
const WITHOUT_LEAF = `
  select digest from unnest($1::bytea[]) digest
  where not exists (select from log_leaf l where l.record_digest = digest)
    and not exists (select from log_pending p where p.record_digest = digest)`;
/** Records that were erased before the log took them. */
const WAITING_REMOVED = `
  select count(distinct record_digest) as removed from log_pending p where record_digest = any($1::bytea[])
    and not exists (select from log_leaf l where l.record_digest = p.record_digest)`;
const COUNT = `
  select (select count(*) from receipt) + (select count(*) from retrieval_receipt) as records,
    (select count(*) from log_leaf) + (
      select count(distinct record_digest) from log_pending p
      where not exists (select from log_leaf l where l.record_digest = p.record_digest)) as expected,
    exists (select from tenant where erasure_began_at is not null and erased_at is null) as is_erasing`;
