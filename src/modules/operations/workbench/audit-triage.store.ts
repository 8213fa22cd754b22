import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';

/** Groups of one kind that are looked at. */
const MAX_GROUPS = 50;

export type TriageKind = 'step' | 'decision' | 'hold' | 'gate' | 'incident';

/** What went wrong alike: how often, and the newest of it. */
export interface TriageGroup {
  kind: TriageKind;
  /** The status of a step, the outcome of a decision, the status of a gate, the severity of an incident. */
  what: string;
  /** The label of a step, the action, the held entity, the work item, the title of an incident. */
  subject: string;
  count: number;
  /** Ids of the newest. */
  samples: string[];
  detail: string | null;
}

/** Failures and refusals of a window of time, of the open unit of work's tenant. */
@Injectable()
export class AuditTriageStore {
  constructor(private readonly tenancy: Tenancy) {}

  list(from: Date, to: Date, reader: { seesAll: boolean; principal: string }): Promise<TriageGroup[]> {
    const { seesAll, principal } = reader;
    return this.tenancy.query<TriageGroup>(
      PARTS.map((part) => `(${part} order by count desc, subject limit ${MAX_GROUPS})`).join(' union all '),
      [this.tenancy.tenant, from, to, seesAll, principal],
    );
  }
}

/** As many parameters of the same types in each, so that one statement takes them all. */
const newest = (id: string, at: string): string => `(array_agg(${id} order by ${at} desc))[1:5]`;

const PARTS = [
  `select 'step' as kind, x.status as what, x.label as subject, count(*)::float8 as count, ${newest(`x.session_id || '/' || x.node_id`, 'x.ts_start')} as samples, null::text as detail
   from observe_step x where x.tenant_id = $1 and x.ts_start between $2::timestamptz and $3::timestamptz and x.status in ('error', 'denied')
     and ($4::boolean or not x.private or x.owner = $5::text) group by x.status, x.label`,
  `select 'decision' as kind, x.outcome as what, x.action as subject, count(*)::float8 as count, ${newest('x.decision_id::text', 'x.decided_at')} as samples, string_agg(distinct x.rule, ', ') as detail
   from shield_decision x where x.tenant_id = $1 and x.decided_at between $2 and $3 and x.outcome <> 'allow' and x.auth_type <> 'drill' group by x.outcome, x.action`,
  `select 'hold' as kind, x.operation as what, x.entity as subject, sum(x.attempts)::float8 as count, ${newest(`coalesce(x.receipt_id::text, x.table_name)`, 'x.last_at')} as samples, string_agg(distinct x.principal, ', ') as detail
   from hold_refusal x where x.tenant_id = $1 and x.last_at between $2 and $3 group by x.operation, x.entity`,
  `select 'gate' as kind, x.status as what, x.work_id as subject, count(*)::float8 as count, ${newest('x.action_id::text', 'x.decided_at')} as samples, max(x.reason) as detail
   from work_gate x where x.tenant_id = $1 and x.decided_at between $2 and $3 and x.status in ('rejected', 'lapsed') group by x.status, x.work_id`,
  `select 'incident' as kind, x.severity as what, x.title as subject, 1::float8 as count, array[x.incident_id::text] as samples, null::text as detail
   from incident x where x.tenant_id = $1 and x.status <> 'closed' and x.window_from <= $3 and $2 <= coalesce(x.window_to, 'infinity')`,
];
