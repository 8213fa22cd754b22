import { parseCheckpoint, verifyCheckpoint } from '../../../evidence/checkpoint.js';
import type { KeyView } from '../../../common/evidence-log/known-keys.js';
import { END_OF_CHAIN } from '../../../common/evidence-log/evidence-look.js';
import { LogWriter } from '../../../common/evidence-log/log-writer.js';
import { hashOfRange } from '../../../evidence/tiles.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { TENANT_STREAM } from '../../../common/tenancy/tenant-state.js';
import { findSchemaFault, readSchemaState } from '../../../common/database/schema-version.js';
import { UNSECURED_TABLES } from '../../../common/database/unsecured-tables.js';

/**
 * Each looks at one part of the control evidence and says what is wrong with it, in no more than a few reads by key;
 * undefined: nothing.
 */
type Fault = Promise<string | undefined>;

export const findMigrationsFault = async (query: Query): Fault => findSchemaFault(await readSchemaState(query));

export async function findOpenTables(query: Query): Fault {
  const open = await query<{ relname: string }>(UNSECURED_TABLES);
  if (open.length === 0) return undefined;
  return `row-level security is not forced on ${open.map(({ relname }) => relname).join(', ')}`;
}

/** The checkpoint is that of the leaves: as many, with the root that their tiles make, signed by a published key. */
export async function findLogFault(query: Query, { known }: KeyView): Fault {
  const [head] = await query<{ size: string | null; checkpoint: string; leaves: string }>(HEAD);
  if (!head || head.size === null) return head?.leaves === '0' ? undefined : 'the log has leaves and no checkpoint';
  const size = Number(head.size);
  if (head.leaves !== head.size) return `the log has ${head.leaves} leaves, and its head says ${head.size}`;
  const checkpoint = parseCheckpoint(head.checkpoint);
  if (checkpoint.size !== size) return `the log has ${size} leaves, and its checkpoint says ${checkpoint.size}`;
  const root = hashOfRange({ start: 0, end: size }, await new LogWriter(query).readFrontier(size));
  if (Buffer.compare(checkpoint.root, root) !== 0) return "the checkpoint's root is not that of the log's tiles";
  const isSigned = known.some(({ key, terms }) => terms.has('log') && verifyCheckpoint(checkpoint, key));
  return isSigned ? undefined : 'no published key signed the checkpoint';
}

/** Rows of keys that nobody with a key of this database wrote. */
export function describeUnchained({ unchained }: KeyView): string | undefined {
  if (unchained.length === 0) return undefined;
  return `no chain leads from the first key to the signing key ${unchained.join(', ')}`;
}

/** What the evidence watch found and nobody has cleared, by check and subject; neither names a tenant. */
export async function findStanding(query: Query): Fault {
  const found = await query<{ named: string; all: number }>(STANDING, [MAX_NAMED]);
  if (found.length === 0) return undefined;
  const more = found[0]!.all > found.length ? ', ...' : '';
  return `${found[0]!.all} found amiss in the evidence: ${found.map(({ named }) => named).join(', ')}${more}`;
}

/** Logs of peers that were forked or rolled back, until an operator clears them. */
export async function findPeerLogs(query: Query): Fault {
  const stopped = await query<{ origin: string; state: string }>(STOPPED_PEERS);
  if (stopped.length === 0) return undefined;
  const named = stopped.map(({ origin, state }) => `${origin} (${state})`).join(', ');
  return `logs of peers are out of order: ${named}; "svc peer-log list" says why, "svc peer-log clear" lets them go on`;
}

/** When the last whole look at the evidence ended, and what it found. */
export async function describeLook(query: Query): Promise<string> {
  const [look] = await query<{ ended_at: Date; ended_findings: number }>(LAST_LOOK);
  if (!look) return 'no whole look at the evidence has ended yet';
  const found = look.ended_findings === 0 ? 'nothing' : `${look.ended_findings} amiss`;
  return `the last whole look at the evidence ended ${look.ended_at.toISOString()} and found ${found}`;
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
const MAX_NAMED = 20;
const STANDING = `
  select substr(source, length('evidence.') + 1) || ' ' || subject as named, count(*) over ()::int as all from corruption_finding
  where cleared_at is null and source like 'evidence.%' order by finding_id limit $1`;
const STOPPED_PEERS = `
  select coalesce(origin, name) as origin, state from peer_log where state <> 'ok' order by 1 limit 20`;
const LAST_LOOK = 'select ended_at, ended_findings from evidence_look where ended_at is not null';
const HEAD = `
  select h.size, h.checkpoint, (select coalesce(max(leaf_index) + 1, 0) from log_leaf) as leaves
  from (select) one left join log_head h on true`;
const HEADS = `
  select h.tenant_id, h.stream, h.seq = coalesce(r.seq, 0) and h.payload_hash is not distinct from r.payload_hash
    -- While a tenant is erased, its chains are shortened.
    or t.tenant_id is not null as same
  from (select * from receipt_head where (tenant_id, stream) > ($1, $2) order by tenant_id, stream limit $3) h
  left join lateral (${END_OF_CHAIN}) r on true
  left join tenant t on t.tenant_id = h.tenant_id and t.erasure_began_at is not null and h.stream <> '${TENANT_STREAM}'
  order by 1, 2`;
