import { Command } from 'commander';
import { type ScreenedSecret, SecretScreen } from '../../common/screening/secret-screen.js';
import type { Query } from '../../common/tenancy/cross-tenant.js';
import { acrossTenants } from '../migrated.js';
import { print, table, type OutputOptions, UserError, type Line } from '../output.js';

const BATCH = 500;

interface ScreenOptions extends OutputOptions {
  tenant?: string;
}

/** A text of memory that holds what looks like a credential. The credential itself is not in it. */
interface Finding {
  tenant_id: string;
  kind: 'fact' | 'candidate';
  id: string;
  member: string;
  secrets: ScreenedSecret[];
}

interface Stored {
  place: string;
  tenant_id: string;
  id: string;
  texts: Record<string, string | null>;
}

/** Facts are stored as they are sent; this finds those that should not have been. */
export const screenCommand = (): Command =>
  new Command('screen')
    .description('look through stored facts and candidates for credentials; ends with 1 where there are any')
    .option('--tenant <tenant>', 'of this tenant alone')
    .option('--json', 'print one JSON object')
    .action((options: ScreenOptions) =>
      acrossTenants(async (query) => {
        await checkTenant(query, options.tenant);
        const screen = new SecretScreen();
        const looked = { facts: 0, candidates: 0 };
        const findings: Finding[] = [];
        for await (const row of rowsOf(query, FACTS, options.tenant)) {
          looked.facts++;
          findings.push(...(await look(screen, 'fact', row)));
        }
        for await (const row of rowsOf(query, CANDIDATES, options.tenant)) {
          looked.candidates++;
          findings.push(...(await look(screen, 'candidate', row)));
        }
        print(options, { looked, findings }, () => linesOf(looked, findings));
        if (findings.length > 0) process.exitCode = 1;
      }),
    );

async function checkTenant(query: Query, tenant: string | undefined): Promise<void> {
  if (tenant === undefined) return;
  if ((await query('select from tenant where tenant_id = $1', [tenant])).length === 0)
    throw new UserError(`There is no tenant ${tenant}; svc tenant list shows them`);
}

async function* rowsOf(query: Query, sql: string, tenant: string | undefined): AsyncGenerator<Stored> {
  let after: string | null = null;
  for (;;) {
    const rows: Stored[] = await query<Stored>(sql, [tenant ?? null, after, BATCH]);
    yield* rows;
    if (rows.length < BATCH) return;
    after = rows.at(-1)!.place;
  }
}

async function look(screen: SecretScreen, kind: Finding['kind'], { tenant_id, id, texts }: Stored): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [member, text] of Object.entries(texts)) {
    const { screened: secrets } = await screen.mask(text ?? '');
    if (secrets.length > 0) findings.push({ tenant_id, kind, id, member, secrets });
  }
  return findings;
}

function linesOf({ facts, candidates }: { facts: number; candidates: number }, findings: readonly Finding[]): Line[] {
  const rows = findings.map(({ tenant_id, kind, id, member, secrets }) => [
    ...[tenant_id, kind, id, member],
    secrets.map((secret) => `${secret.kind} at ${secret.start}-${secret.end}`).join(', '),
  ]);
  const found = findings.length > 0 ? table(['TENANT', 'KIND', 'ID', 'MEMBER', 'LOOKS LIKE'], rows) : [];
  return [
    ...found,
    `Looked at ${facts} facts and ${candidates} candidates; ${findings.length} texts hold credentials.`,
  ];
}

/** Superseded versions too: they stay readable. */
const FACTS = `
  select f.seq::text as place, f.tenant_id, f.fact_id as id, json_build_object('entity', f.entity, 'key', f.key, 'value', f.value) as texts
  from fact f where ($1::text is null or f.tenant_id = $1) and f.seq > coalesce($2::bigint, 0) and not f.tombstone
    and (f.deleted_at is null or f.quarantined)
  order by f.seq limit $3`;

const CANDIDATES = `
  select c.candidate_id::text as place, c.tenant_id, c.candidate_id as id, json_build_object('entity', c.entity, 'key', c.key, 'value', c.value,
    'evidence', (select string_agg(e ->> 'quote', E'\\n') from json_array_elements(c.evidence) e), 'reason', c.reason, 'session_id', c.session_id) as texts
  from candidate c where ($1::text is null or c.tenant_id = $1) and ($2::uuid is null or c.candidate_id > $2::uuid)
  order by c.candidate_id limit $3`;
