import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../../common/tenancy/tenant-repository.js';
import { PolicyRow } from './policy.entity.js';

/** What of a tenant's policy is set. */
export type PolicyChoice = Partial<Omit<PolicyRow, 'tenantId' | 'version' | 'changedBy' | 'changedAt'>>;

/** A tenant's policy with the counter of its changes, and what a change ends. */
@Injectable()
export class PolicyStore {
  private readonly policies: TenantRepository<PolicyRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.policies = new TenantRepository(tenancy, PolicyRow);
  }

  find(): Promise<PolicyRow | undefined> {
    return this.policies.find({});
  }

  async readVersion(): Promise<number> {
    return (await this.find())?.version ?? 1;
  }

  /** The members that are given, in place of what they were; the version is raised apart from it. */
  set(given: PolicyChoice, principal: string): Promise<PolicyRow> {
    const names = Object.keys(given) as (keyof PolicyChoice)[];
    return this.policies.put({ version: 1, changedBy: principal, ...given }, names);
  }

  /** Changes of one tenant stand in line here until they commit. @returns the new version */
  async raise(principal: string): Promise<number> {
    const [row] = await this.tenancy.query<{ version: number }>(
      `insert into shield_policy (tenant_id, version, changed_by) values ($1, 2, $2)
       on conflict (tenant_id) do update set version = shield_policy.version + 1, changed_by = excluded.changed_by, changed_at = now()
       returning version`,
      [this.tenancy.tenant, principal],
    );
    if (!row) throw new Error('the policy version was not raised');
    return row.version;
  }

  /** Requests and approvals of an earlier version. */
  async voidApprovals(version: number, endReason: string): Promise<void> {
    await this.tenancy.query(
      `update shield_approval set state = 'void', ended_at = now(), end_reason = $3
       where tenant_id = $1 and policy_version < $2 and state in ('pending', 'approved')`,
      [this.tenancy.tenant, version, endReason],
    );
  }
}
