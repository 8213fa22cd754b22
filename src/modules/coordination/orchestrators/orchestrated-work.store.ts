import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { OrchestratedItem, NestedOrchestrator } from './orchestrated-work.dto.js';
import { BELOW } from './orchestrators.store.js';
import type { MemberType } from './orchestrators.types.js';

export interface WorkMemberRow {
  orchestrator_id: string;
  ref: string;
  member_type: MemberType;
  added_by: string;
  added_at: Date;
  work: OrchestratedItem | null;
  orchestrator: NestedOrchestrator | null;
  states: Record<string, number>;
}

/** Past the end of its lease an item is ready for everybody, before any sweep has said so. */
const STATE = `case when w.state = 'in_progress' and w.lease_expires_at <= clock_timestamp() then 'ready' else w.state end`;

/** The work items that are behind an orchestrator: read together with its members. */
@Injectable()
export class OrchestratedWorkStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** Whether there is such an item. */
  async has(workId: string): Promise<boolean> {
    const [row] = await this.tenancy.query<{ found: boolean }>(
      'select exists (select from work_item where tenant_id = $1 and work_id = $2) as found',
      [this.tenancy.tenant, workId],
    );
    return row?.found === true;
  }

  /** The members of an orchestrator and of all below it, with what is behind each. */
  listMembers(
    orchestratorId: string,
    after: readonly [string, string] | undefined,
    limit: number,
  ): Promise<WorkMemberRow[]> {
    return this.tenancy.query<WorkMemberRow>(
      `${BELOW}, page as (
         select m.* from below b join orchestrator_member m on m.tenant_id = $1 and m.orchestrator_id = b.orchestrator_id
         where $3::text is null or (m.orchestrator_id, m.ref) > ($3 collate "C", $4 collate "C")
         order by m.orchestrator_id, m.ref limit $5)
       select p.orchestrator_id, p.ref, p.member_type, p.added_by, p.added_at,
         (select jsonb_build_object('work_id', w.work_id, 'project_id', w.project_id, 'title', w.title, 'state', ${STATE},
            'assignee_passport', w.assignee_passport, 'priority', w.priority)
          from work_item w where p.member_type = 'work' and w.tenant_id = $1 and w.work_id = p.ref) as work,
         (select jsonb_build_object('name', o.name, 'state', o.state)
          from orchestrator o where p.member_type = 'orchestrator' and o.tenant_id = $1 and o.orchestrator_id = p.ref) as orchestrator,
         (with recursive part (orchestrator_id) as (
            select p.ref where p.member_type = 'orchestrator'
            union
            select m.ref from part b
            join orchestrator_member m on m.tenant_id = $1 and m.orchestrator_id = b.orchestrator_id and m.member_type = 'orchestrator'),
          named as (
            select p.member_type, p.ref
            union
            select m.member_type, m.ref from part b join orchestrator_member m on m.tenant_id = $1 and m.orchestrator_id = b.orchestrator_id)
          ${COUNTED}) as states
       from page p order by p.orchestrator_id, p.ref`,
      [this.tenancy.tenant, orchestratorId, after?.[0] ?? null, after?.[1] ?? null, limit],
    );
  }

  /** How many items are behind an orchestrator, by state, each counted once. */
  async countStates(orchestratorId: string): Promise<Record<string, number>> {
    const [row] = await this.tenancy.query<{ states: Record<string, number> }>(
      `${BELOW}, named as (
         select distinct m.member_type, m.ref from below b
         join orchestrator_member m on m.tenant_id = $1 and m.orchestrator_id = b.orchestrator_id)
       select (${COUNTED}) as states`,
      [this.tenancy.tenant, orchestratorId],
    );
    return row!.states;
  }
}

/** Of what `named` names: an item that is named, and assigned to a passport that is named as well, counts once. */
const COUNTED = `select coalesce(jsonb_object_agg(counted.state, counted.items), '{}'::jsonb) from (
  select item.state, count(*)::int as items from (
    select w.work_id, ${STATE} as state from named m
    join work_item w on w.tenant_id = $1 and w.work_id = m.ref where m.member_type = 'work'
    union
    select w.work_id, ${STATE} from named m
    join work_item w on w.tenant_id = $1 and w.assignee_passport = m.ref where m.member_type = 'passport') item
  group by item.state) counted`;
