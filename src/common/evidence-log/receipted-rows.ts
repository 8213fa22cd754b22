import { sha256 } from '../../evidence/sha256.js';
import type { Query } from '../tenancy/cross-tenant.js';
import type { ReceiptedRows, StoredReceipt } from './evidence-look.types.js';
import type { KnownKey } from './known-keys.js';
import { digestsNamedBy } from './removed-records.js';

/** How many blocks of its file the table has. */
export async function blocksOf(query: Query, { table }: Pick<ReceiptedRows, 'table'>): Promise<number> {
  const [row] = await query<{ blocks: string }>(
    `select pg_relation_size($1::regclass) / current_setting('block_size')::bigint as blocks`,
    [table],
  );
  return Number(row!.blocks);
}

/** The place where a block begins, as PostgreSQL writes it. */
export const placeOf = (block: number): string => `(${Math.min(block, MAX_BLOCK)},0)`;
const MAX_BLOCK = 2 ** 32 - 2;

interface LostRow {
  readonly id: string;
  readonly detail: string;
}

/** The id of a receipt that was erased, of which the digest of its payload is left: `receiptIdOf` in SQL. */
export const ERASED_ID = `encode(set_byte(set_byte(substr(e.payload_hash, 1, 16), 6, get_byte(e.payload_hash, 6) & 15 | 128),
  8, get_byte(e.payload_hash, 8) & 63 | 128), 'hex')::uuid`;

/**
 * Rows in some blocks of a table that no receipt speaks of. One may have been erased with another thing that it spoke
 * of, which a signed receipt has to say: a row of `erased_receipt` alone excuses nothing. Nor does one without a place
 * in a chain, where the next receipt names its payload.
 */
export async function rowsWithoutReceipt(
  query: Query,
  { table, receipts, spokenOf }: ReceiptedRows,
  { from, until, keys }: { from: number; until: number; keys: ReadonlyMap<string, KnownKey> },
): Promise<{ examined: number; lost: LostRow[] }> {
  const found = await query<NamedRow & { examined: string }>(
    `with named as (${receipts}),
     asked as (
       select n.tenant_id, n.name, r.receipt_id, e.record_digest, e.announced_by from named n left join receipt r on r.tenant_id = n.tenant_id and r.receipt_id = n.receipt_id
         left join erased_receipt e on r.receipt_id is null and e.tenant_id = n.tenant_id and e.stream is not null and ${ERASED_ID} = n.receipt_id
       where (r.receipt_id is null or $3::boolean)
         and not exists (select from tenant t where t.tenant_id = n.tenant_id and t.erasure_began_at is not null)
       group by 1, 2, 3, 4, 5)
     select examined, asked.* from (select count(*) as examined from named) all_of left join asked on true`,
    [placeOf(from), placeOf(until), spokenOf !== undefined],
  );
  const rows = found.filter(({ name }) => name !== null);
  const isSaid = await readSaid(query, rows, keys);
  const isSpokenOf = await readSpoken(query, rows, spokenOf);
  const lost = rows.filter((row) => (row.receipt_id === null ? !isSaid(row) : !isSpokenOf(row)));
  return {
    examined: Number(found[0]!.examined),
    lost: lost.map((row) => ({ id: publicName(row.tenant_id, row.name), detail: describe(table, row) })),
  };
}

interface NamedRow {
  tenant_id: string;
  name: string;
  /** That it names and that is there. */
  receipt_id: string | null;
  /** Of the receipt that is said to be erased; null where none is. */
  record_digest: Buffer | null;
  announced_by: string | null;
}

/** Whether the receipts that are there speak of the rows that name them. */
async function readSpoken(
  query: Query,
  rows: readonly NamedRow[],
  spokenOf: ReceiptedRows['spokenOf'],
): Promise<(row: NamedRow) => boolean> {
  const named = rows.filter(({ receipt_id }) => receipt_id !== null);
  if (!spokenOf || named.length === 0) return () => true;
  const receipts = await query<StoredReceipt>(RECEIPTS, [
    named.map(({ tenant_id }) => tenant_id),
    named.map(({ receipt_id }) => receipt_id),
  ]);
  const spoken = new Map(
    receipts.map((receipt) => {
      const names = spokenOf(receipt);
      return [receiptKey(receipt), names && new Set(names)];
    }),
  );
  return (row) => spoken.get(receiptKey(row))?.has(row.name) ?? true;
}

const receiptKey = ({ tenant_id, receipt_id }: Pick<NamedRow, 'tenant_id' | 'receipt_id'>): string =>
  `${receipt_id} ${tenant_id}`;

/** Whether the receipts that are said to name the erased ones are signed and do. */
async function readSaid(
  query: Query,
  rows: readonly NamedRow[],
  keys: ReadonlyMap<string, KnownKey>,
): Promise<(row: NamedRow) => boolean> {
  const announced = [...new Set(rows.flatMap(({ announced_by }) => announced_by ?? []))];
  if (announced.length === 0) return () => false;
  const receipts = await query<{ tenant_id: string; cose: Buffer }>(
    'select tenant_id, cose from receipt where receipt_id = any($1::uuid[])',
    [announced],
  );
  const said = new Set(
    receipts.flatMap((row) =>
      digestsNamedBy(row, keys).map((digest) => `${Buffer.from(digest).toString('hex')} ${row.tenant_id}`),
    ),
  );
  return ({ tenant_id, record_digest }) => said.has(`${record_digest?.toString('hex')} ${tenant_id}`);
}

/** For probes, which are public: 12 digits of SHA-256 over the tenant's name and more, parted by a slash. */
export const publicName = (tenant: string, name: string): string =>
  sha256(`${tenant}/${name}`).toString('hex').slice(0, 12);

const describe = (table: string, { tenant_id: tenant, name, receipt_id: receipt }: NamedRow): string =>
  `${table} ${name} of tenant ${tenant}: ${receipt === null ? 'no receipt speaks of it' : `its receipt ${receipt} does not speak of it`}`;

/** A part of a name before another one, in SQL: both may hold slashes, and no two rows have one name. */
export const namePart = (column: string): string => `replace(replace(${column}, '%', '%25'), '/', '%2F')`;
/** The same of a value. */
export const namePartOf = (value: string): string => value.replaceAll('%', '%25').replaceAll('/', '%2F');

const RECEIPTS = `
  select r.tenant_id, r.receipt_id, r.kind, r.cose
  from (select distinct * from unnest($1::text[], $2::uuid[]) u (tenant_id, receipt_id)) u join receipt r using (tenant_id, receipt_id)`;
