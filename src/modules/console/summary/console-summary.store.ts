import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { isOpenGate, titleOfGate } from '../../coordination/work/gates/open-gates.views.js';
import type { DatabaseFigures, TenantCounts, WaitingKind, WaitingRow } from './console-summary.types.js';

/** Counted no further: a console shows "1000+". */
const MAX_COUNTED = 1_000;

/** What the console's overview reads, each in one statement, of the open unit of work's tenant. */
@Injectable()
export class ConsoleSummaryStore {
  constructor(private readonly tenancy: Tenancy) {}

  async count(): Promise<TenantCounts> {
    const [row] = await this.tenancy.query<TenantCounts>(COUNTS, [this.tenancy.tenant]);
    return row!;
  }

  /** The oldest first. */
  listWaiting(limit: number): Promise<WaitingRow[]> {
    return this.tenancy.query<WaitingRow>(QUEUE, [this.tenancy.tenant, limit]);
  }

  async readDatabase(): Promise<DatabaseFigures> {
    const [row] = await this.tenancy.query<DatabaseFigures>(DATABASE, [this.tenancy.tenant]);
    return row!;
  }
}

interface Waiting {
  kind: WaitingKind;
  from: string;
  id: string;
  title: string;
  by: string;
  since: string;
  until: string;
}

/**
 * Who asks for access, by the name that they gave, else by an e-mail without the name in it: not all who read the queue
 * may read the requests.
 */
const REQUESTER = `coalesce(x.requester_name, regexp_replace(x.requester_email, '^(.).*@', '\\1...@'))`;

/** Of a candidate no value: it may hold what is not to be shown. */
const WAITING: readonly Waiting[] = [
  {
    ...{ kind: 'candidate', from: `candidate x where x.tenant_id = $1 and x.status = 'pending'` },
    ...{ id: 'x.candidate_id::text', title: `x.entity || ' ' || x.key`, by: 'x.created_by', since: 'x.created_at' },
    until: 'null::timestamptz',
  },
  {
    ...{ kind: 'gate', from: `work_gate x where x.tenant_id = $1 and ${isOpenGate('x')}` },
    ...{ id: 'x.action_id::text', title: titleOfGate('x'), by: 'x.requested_principal', since: 'x.requested_at' },
    until: 'x.expires_at',
  },
  {
    kind: 'approval',
    from: `shield_approval x where x.tenant_id = $1 and x.state = 'pending' and x.expires_at > now() and x.ended_at is null and x.drill_id is null`,
    ...{ id: 'x.approval_request_id::text', title: 'x.action', by: 'x.principal', since: 'x.requested_at' },
    until: 'x.expires_at',
  },
  {
    ...{ kind: 'mint_request', from: `passport_mint_request x where x.tenant_id = $1 and x.status = 'pending'` },
    ...{ id: 'x.request_id::text', title: 'x.passport_id::text', by: 'x.requested_principal', since: 'x.requested_at' },
    until: 'null::timestamptz',
  },
  {
    kind: 'access_request',
    from: `access_request x where x.tenant_id = $1 and x.status in ('submitted', 'reviewing')`,
    ...{ id: 'x.request_id::text', title: `concat_ws(', ', ${REQUESTER}, x.company_name)`, by: REQUESTER },
    ...{ since: 'x.submitted_at', until: 'null::timestamptz' },
  },
];

const QUEUE = `${WAITING.map(
  ({ kind, from, id, title, by, since, until }) =>
    `(select '${kind}' as kind, ${id} as id, ${title} as title, ${by} as requested_by, ${since} as waiting_since, ${until} as expires_at
      from ${from} order by ${since}, ${id} limit $2)`,
).join(' union all ')} order by waiting_since, id limit $2`;

const bounded = (from: string): string => `(select count(*)::int from (select from ${from} limit ${MAX_COUNTED}) n)`;
const OTHERS = {
  incidents: `incident x where x.tenant_id = $1 and x.status <> 'closed'`,
  holds: 'legal_hold x where x.tenant_id = $1 and x.released_at is null',
  peers: 'sync_peer x where x.tenant_id = $1 and x.revoked_at is null',
  sync_conflicts: `sync_record x where x.tenant_id = $1 and x.state = 'conflict'`,
  sync_held: `sync_record x where x.tenant_id = $1 and x.state = 'held'`,
};
const COUNTS = `select ${[
  ...WAITING.map(({ kind, from }) => `${bounded(from)} as ${kind}`),
  ...Object.entries(OTHERS).map(([name, from]) => `${bounded(from)} as ${name}`),
].join(', ')}`;

const DATABASE = `select pg_database_size(current_database())::float8 as bytes,
  (select count(*)::int from pg_stat_activity where datname = current_database()) as connections,
  current_setting('max_connections')::int as max_connections,
  (select count(*)::int from (select from stream_head where tenant_id = $1 limit 100000) n) as streams,
  (select coalesce(sum(next_seq), 0)::float8 from (select next_seq from stream_head where tenant_id = $1 limit 100000) n) as stream_events,
  coalesce((select max(segment_seq) from sealed_segment where tenant_id = $1), 0)::float8 as segments`;
