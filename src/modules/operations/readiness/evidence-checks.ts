import { parseCheckpoint, verifyCheckpoint } from '../../../evidence/checkpoint.js';
import { readKeys } from '../../../common/evidence-log/key-ring.js';
import { LogWriter } from '../../../common/evidence-log/log-writer.js';
import { hashOfRange } from '../../../evidence/tiles.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { readSchemaState } from '../../../common/database/schema-version.js';
import { UNSECURED_TABLES } from '../../../common/database/unsecured-tables.js';

/**
 * Each looks at one part of the control evidence and says what is wrong with it, in no more than a few reads by key;
 * undefined: nothing.
 */
type Fault = Promise<string | undefined>;

export async function findSchemaFault(query: Query): Fault {
  const missing = (await readSchemaState(query)).missing.length;
  return missing > 0 ? `${missing} migration(s) have not run; run "svc migrate"` : undefined;
}

export async function findOpenTables(query: Query): Fault {
  const open = await query<{ relname: string }>(UNSECURED_TABLES);
  if (open.length === 0) return undefined;
  return `row-level security is not forced on ${open.map(({ relname }) => relname).join(', ')}`;
}

/** The checkpoint is that of the leaves: as many, with the root that their tiles make, signed by a published key. */
export async function findLogFault(query: Query): Fault {
  const [head] = await query<{ size: string | null; checkpoint: string; leaves: string }>(HEAD);
  if (!head || head.size === null) return head?.leaves === '0' ? undefined : 'the log has leaves and no checkpoint';
  const size = Number(head.size);
  if (head.leaves !== head.size) return `the log has ${head.leaves} leaves, and its head says ${head.size}`;
  const checkpoint = parseCheckpoint(head.checkpoint);
  if (checkpoint.size !== size) return `the log has ${size} leaves, and its checkpoint says ${checkpoint.size}`;
  const root = hashOfRange({ start: 0, end: size }, await new LogWriter(query).readFrontier(size));
  if (Buffer.compare(checkpoint.root, root) !== 0) return "the checkpoint's root is not that of the log's tiles";
  const isSigned = (await readKeys(query)).some(({ key }) => verifyCheckpoint(checkpoint, key));
  return isSigned ? undefined : 'no published key signed the checkpoint';
}

/** Where the last sample of stream heads ended. */
export interface HeadCursor {
  tenantId: string;
  stream: string;
}
export const FIRST_HEAD: HeadCursor = { tenantId: '', stream: '' };

/** Some chains of receipts end where their heads say; the next call looks at the next ones. */
export async function sampleHeads(query: Query, after: HeadCursor): Promise<{ wrong: number; next: HeadCursor }> {
  const rows = await query<{ tenant_id: string; stream: string; same: boolean }>(HEADS, [
    after.tenantId,
    after.stream,
    HEAD_SAMPLE,
  ]);
  const last = rows.length === HEAD_SAMPLE ? rows.at(-1) : undefined;
  const next = last ? { tenantId: last.tenant_id, stream: last.stream } : FIRST_HEAD;
  return { wrong: rows.filter(({ same }) => !same).length, next };
}

const HEAD_SAMPLE = 20;
const HEAD = `
  select h.size, h.checkpoint, (select coalesce(max(leaf_index) + 1, 0) from log_leaf) as leaves
  from (select) one left join log_head h on true`;
const HEADS = `
  select h.tenant_id, h.stream, h.seq = coalesce(r.seq, 0) and h.payload_hash is not distinct from r.payload_hash as same
  from (select * from receipt_head where (tenant_id, stream) > ($1, $2) order by tenant_id, stream limit $3) h
  left join lateral (
    select seq, payload_hash from receipt r where r.tenant_id = h.tenant_id and r.stream = h.stream order by seq desc limit 1
  ) r on true
  order by 1, 2`;
