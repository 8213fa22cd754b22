import type { Client } from 'pg';
import { Command } from 'commander';
import { withConnection } from '../../common/database/connection.js';
import { TENANT_TABLES } from '../../common/database/tenant-tables.js';
import { withMigratedDatabase } from '../migrated.js';
import { print, tableTime, UserError, type OutputOptions } from '../output.js';

export const show = () =>
  new Command('show')
    .description('show what stands of a tenant: tier, state, seats, keys, documents, agents, storage, credits')
    .argument('<tenant>')
    .option('--json', 'print one JSON object')
    .action((tenantId: string, options: OutputOptions) =>
      withMigratedDatabase(async ({ address, settings }) => {
        const shown = await withConnection(address, 'svc_operator', (client) => read(client, tenantId), { settings });
        print(options, shown, () => linesOf(shown));
      }),
    );

interface Shown {
  tenant_id: string;
  tier: string;
  implicit: boolean;
  created_at: Date;
  state: string;
  state_since: Date;
  state_reason: string | null;
  erase_after: Date | null;
  erasure_began_at: Date | null;
  erased_at: Date | null;
  seats: { active: number; pending: number };
  keys: number;
  agents: number;
  documents: number;
  facts: number;
  /** What can be spent: of the month's allowance, earned, and agents' own. */
  credits: { allowance: number; earnings: number; agents: number; escrow: number };
  storage_bytes: number;
  rows: number;
}

/** On one snapshot. @throws UserError where there is no such tenant */
async function read(client: Client, tenantId: string): Promise<Shown> {
  await client.query('begin isolation level repeatable read read only; set local statement_timeout = 0');
  const { rows } = await client.query<Omit<Shown, 'storage_bytes' | 'rows'>>(STANDING, [tenantId]);
  const [standing] = rows;
  if (!standing) throw new UserError(`There is no tenant ${tenantId}; svc tenant list shows them`);
  const storage = await readStorage(client, tenantId);
  await client.query('commit');
  return { ...standing, ...storage };
}

/** The rows of every table, with indexes and what PostgreSQL keeps of each row left out. */
async function readStorage(client: Client, tenantId: string): Promise<Pick<Shown, 'storage_bytes' | 'rows'>> {
  const { rows: tables } = await client.query<{ name: string }>(TENANT_TABLES);
  const sum = { storage_bytes: 0, rows: 0 };
  for (const { name } of tables) {
    const { rows } = await client.query<{ count: string; bytes: string }>(
      `select count(*) as count, coalesce(sum(pg_column_size(t.*)), 0) as bytes from ${name} t where tenant_id = $1`,
      [tenantId],
    );
    sum.rows += Number(rows[0]!.count);
    sum.storage_bytes += Number(rows[0]!.bytes);
  }
  return sum;
}

const credits = (condition: string): string =>
  `coalesce((select sum(balance) from ledger_account where tenant_id = $1 and ${condition}), 0)::float8`;

const STANDING = `
  select tenant_id, tier, implicit, created_at, state, state_since, state_reason, erase_after, erasure_began_at, erased_at,
    (select json_build_object('active', count(*) filter (where status = 'active'), 'pending', count(*) filter (where status = 'pending'))
      from seat where tenant_id = $1) as seats,
    (select count(*)::int from api_key where tenant_id = $1 and revoked_at is null and (expires_at is null or expires_at > now())) as keys,
    (select count(*)::int from agent where sponsor_tenant_id = $1 and ended_at is null and expires_at > now()) as agents,
    (select count(*)::int from document where tenant_id = $1 and current_version is not null) as documents,
    (select count(*)::int from fact where tenant_id = $1) as facts,
    json_build_object('allowance', ${credits(`kind = 'allowance'`)}, 'earnings', ${credits(`kind = 'earnings'`)},
      'agents', ${credits(`kind = 'agent'`)}, 'escrow', ${credits(`kind = 'escrow'`)}) as credits
  from tenant where tenant_id = $1`;

function linesOf(shown: Shown): string[] {
  const { seats, credits: held } = shown;
  const { length } = 'documents  ';
  const lines: [string, string][] = [
    ['tenant', shown.tenant_id + (shown.implicit ? ' (implicit: a first write registered it)' : '')],
    ['tier', shown.tier],
    ['created', tableTime(shown.created_at)],
    ['state', `${shown.state} since ${tableTime(shown.state_since)}`],
    ...(shown.state_reason === null ? [] : [['reason', shown.state_reason] satisfies [string, string]]),
    ...(shown.erase_after ? [['erasure', erasureOf(shown)] satisfies [string, string]] : []),
    ['seats', `${seats.active} active, ${seats.pending} pending`],
    ['keys', String(shown.keys)],
    ['agents', `${shown.agents} sponsored`],
    ['documents', String(shown.documents)],
    ['facts', String(shown.facts)],
    [
      'credits',
      `${held.allowance} of the allowance, ${held.earnings} earned, ${held.agents} of agents, ${held.escrow} held`,
    ],
    ['storage', `${shown.storage_bytes} bytes in ${shown.rows} rows`],
  ];
  return lines.map(([name, value]) => name.padEnd(length) + value);
}

function erasureOf({ erase_after, erasure_began_at, erased_at }: Shown): string {
  if (erased_at) return `complete since ${tableTime(erased_at)}`;
  if (erasure_began_at) return `under way since ${tableTime(erasure_began_at)}`;
  return `from ${tableTime(erase_after!)} on`;
}
