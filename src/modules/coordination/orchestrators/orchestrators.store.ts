import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository, type RowLock, type Values, type Where } from '../../../common/tenancy/tenant-repository.js';
import { OrchestratorMemberRow } from './orchestrator-member.entity.js';
import { OrchestratorRow } from './orchestrator.entity.js';

export type OrchestratorFilter = Where<Pick<OrchestratorRow, 'assigneePassport' | 'state'>>;

/** Orchestrators and their members, of the open unit of work's tenant. */
@Injectable()
export class OrchestratorsStore {
  private readonly orchestrators: TenantRepository<OrchestratorRow>;
  private readonly members: TenantRepository<OrchestratorMemberRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.orchestrators = new TenantRepository(tenancy, OrchestratorRow);
    this.members = new TenantRepository(tenancy, OrchestratorMemberRow);
  }

  insert(values: Values<OrchestratorRow>): Promise<OrchestratorRow> {
    return this.orchestrators.insert(values);
  }

  find(orchestratorId: string, lock?: RowLock): Promise<OrchestratorRow | undefined> {
    return this.orchestrators.find({ orchestratorId }, lock);
  }

  /** Newest first: ids rise with time. */
  list(filter: OrchestratorFilter, after: [string] | undefined, take: number): Promise<OrchestratorRow[]> {
    return this.orchestrators.list(filter, { order: { orchestratorId: 'desc' }, after, take });
  }

  /** The next version, with these members. */
  change(orchestratorId: string, values: Values<OrchestratorRow> = {}): Promise<OrchestratorRow> {
    const step = { version: () => 'version + 1', updatedAt: () => 'now()' };
    return this.orchestrators.updateOne({ orchestratorId }, { ...values, ...step });
  }

  listMembers(orchestratorId: string): Promise<OrchestratorMemberRow[]> {
    return this.members.list({ orchestratorId }, { order: { ref: 'asc' } });
  }

  countMembers(orchestratorId: string): Promise<number> {
    return this.members.count({ orchestratorId });
  }

  findMember(orchestratorId: string, ref: string): Promise<OrchestratorMemberRow | undefined> {
    return this.members.find({ orchestratorId, ref });
  }

  async addMember(values: Values<OrchestratorMemberRow>): Promise<void> {
    await this.members.insert(values);
  }

  async removeMember(orchestratorId: string, ref: string): Promise<void> {
    await this.members.delete({ orchestratorId, ref });
  }

  /** Whether nothing is nested otherwise until the unit of work ends: what was read of it stays true. */
  lockNesting(): Promise<void> {
    return this.tenancy.lock('orchestrators');
  }

  /** Whether one orchestrator is another, or somewhere below it. */
  async isBelow(lower: string, upper: string): Promise<boolean> {
    const [row] = await this.tenancy.query<{ found: boolean }>(
      `${BELOW} select exists (select from below where orchestrator_id = $3) as found`,
      [this.tenancy.tenant, upper, lower],
    );
    return row?.found === true;
  }
}

/**
 * The orchestrator $2 of the tenant $1, and all that are below it, each once. There are no cycles; `union` ends with
 * one as well.
 */
export const BELOW = `with recursive below (orchestrator_id) as (
  select $2::text collate "C"
  union
  select m.ref from below b
  join orchestrator_member m on m.tenant_id = $1 and m.orchestrator_id = b.orchestrator_id and m.member_type = 'orchestrator')`;
