import type { Query } from '../tenancy/cross-tenant.js';
import { TENANT_STREAM } from '../tenancy/tenant-state.js';
import { isCborMap } from '../../evidence/cbor.js';
import { parseCose, verifyCose } from '../../evidence/cose.js';
import { type Digest, digestBytes } from '../../evidence/digest.js';
import { openEpoch } from '../../evidence/log-epoch.js';
import { openReceipt, type ReceiptPayload } from '../../evidence/receipt.js';
import { type KnownKey, signedThen } from './known-keys.js';
import type { LeafRanges } from './leaf-marks.js';
import { readEpochs, type StoredEpoch } from './log-epochs.js';
import { LogReader } from './log-reader.js';

/**
 * The kind of the receipts that an erasure leaves before it removes records: their body has `leaves`, a list of
 * [first, count], the leaves whose records go, as the log of its `origin` has them. They stand in the chain that
 * outlasts the tenant.
 */
export const RECORDS_ERASED = 'tenant.records_erased';

/** The chain of a tenant that has the receipts of erasures of subjects. */
export const ERASURE_STREAM = 'erasure';
/** The kind of the receipts that name the records which such an erasure removed: `digests`, as the log knows them. */
export const SUBJECT_RECORDS_ERASED = 'erasure.records';

/**
 * The leaves whose records were removed lawfully, of all tenants whose erasure began, and of subjects. The rows alone
 * count for nothing: a receipt that no known key signed, or that another tenant's chain was to bear, accounts for no
 * leaf.
 */
export async function readRemovedLeaves(query: Query, keys: ReadonlyMap<string, KnownKey>): Promise<LeafRanges> {
  const rows = await query<StoredRow>(ERASED, [RECORDS_ERASED, TENANT_STREAM]);
  const epochs = rows.length === 0 ? [] : await readEpochs(query);
  const digests = await readRemovedDigests(query, keys);
  const leaves = await new LogReader(query).findLeaves(digests);
  const ofSubjects = [...leaves.values()].map((leaf) => [leaf, 1] as [number, number]);
  return [...rows.flatMap((row) => leavesOf(row, keys, epochs)), ...ofSubjects];
}

/** The digests of the records that erasures of subjects removed. */
export async function readRemovedDigests(query: Query, keys: ReadonlyMap<string, KnownKey>): Promise<Uint8Array[]> {
  const rows = await query<StoredRow>(
    'select tenant_id, cose from receipt where kind = $1 and stream = $2 order by tenant_id, seq',
    [SUBJECT_RECORDS_ERASED, ERASURE_STREAM],
  );
  return rows.flatMap((row) => digestsNamedBy(row, keys));
}

/** What such a receipt of the tenant names; nothing where it is another one. */
export function digestsNamedBy(row: StoredRow, keys: ReadonlyMap<string, KnownKey>): Uint8Array[] {
  const payload = openOwn(row, { stream: ERASURE_STREAM, kind: SUBJECT_RECORDS_ERASED }, keys);
  return ((payload?.body.digests ?? []) as Digest[]).map((digest) => digestBytes('blake3', digest));
}

/** Whether the last receipt that says what became of a tenant says that it was deleted, and a known key signed it. */
export async function isSaidDeleted(
  query: Query,
  tenantId: string,
  keys: ReadonlyMap<string, KnownKey>,
): Promise<boolean> {
  const [last] = await query<StoredRow>(lastStateOf('$1'), [tenantId]);
  return last !== undefined && openOwn(last, { stream: TENANT_STREAM, kind: 'tenant.deleted' }, keys) !== undefined;
}

/** Tenants whose rows are being erased, and whose receipts do not say that they are deleted. */
export const ERASED_UNSAID = `
  select t.tenant_id from tenant t
  left join lateral (${lastStateOf('t.tenant_id')}) last on true
  where t.erasure_began_at is not null and last.kind is distinct from 'tenant.deleted' order by 1`;

function lastStateOf(tenant: string): string {
  return `
    select r.tenant_id, r.kind, r.cose from receipt r
    where r.tenant_id = ${tenant} and r.stream = '${TENANT_STREAM}' and r.kind not in ('${RECORDS_ERASED}', 'tenant.erased')
    order by r.seq desc limit 1`;
}

function leavesOf(
  row: StoredRow,
  keys: ReadonlyMap<string, KnownKey>,
  epochs: readonly StoredEpoch[],
): [number, number][] {
  const payload = openOwn(row, { stream: TENANT_STREAM, kind: RECORDS_ERASED }, keys);
  if (!payload) return [];
  const since = epochsSince(payload, epochs);
  return ((payload.body.leaves ?? []) as [number, number][]).map(([first, count]) => [first + since, count]);
}

/** Each of them put its record before all leaves that there were. */
function epochsSince({ body, occurred_at: at }: ReceiptPayload, epochs: readonly StoredEpoch[]): number {
  const own = epochs.findIndex(({ origin }) => origin === body.origin);
  if (own >= 0) return epochs.length - 1 - own;
  // Of before such receipts named their log.
  return epochs.slice(1).filter(({ record }) => record === null || beginOf(record) > at).length;
}

function beginOf(record: Uint8Array): string {
  try {
    return openEpoch(record).receipt.payload.occurred_at;
  } catch {
    // Named by the check of the epochs.
    return '';
  }
}

interface StoredRow {
  readonly tenant_id: string;
  readonly cose: Buffer;
}

/** A receipt that is what its row says and that a known key signed while it did; undefined of any other. */
function openOwn(
  { tenant_id: tenantId, cose }: StoredRow,
  { stream, kind }: { stream: string; kind: string },
  keys: ReadonlyMap<string, KnownKey>,
): ReceiptPayload | undefined {
  try {
    const { kid, payload } = openReceipt(cose);
    const known = keys.get(kid);
    const isOurs = payload.tenant_id === tenantId && payload.stream === stream && payload.kind === kind;
    if (!isOurs || known === undefined || !verifyCose(parseCose(cose), known.key)) return undefined;
    if (!signedThen(known, 'receipts', payload.occurred_at)) return undefined;
    return isCborMap(payload.body) ? payload : undefined;
  } catch {
    // What cannot be read accounts for nothing; the check of the chains names it.
    return undefined;
  }
}

const ERASED = `
  select r.tenant_id, r.cose from tenant t
  join receipt r on r.tenant_id = t.tenant_id and r.kind = $1 and r.stream = $2
  where t.erasure_began_at is not null order by r.tenant_id, r.seq`;
