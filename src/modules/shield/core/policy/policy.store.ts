import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';

/** The counter of a tenant's policy, and what a change of it ends. */
@Injectable()
export class PolicyStore {
  constructor(private readonly tenancy: Tenancy) {}

  async readVersion(): Promise<number> {
    const [row] = await this.tenancy.query<{ version: number }>(
      'select version from shield_policy where tenant_id = $1',
      [this.tenancy.tenant],
    );
    return row?.version ?? 1;
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

  /** Requests and approvals of an earlier version. @returns how many */
  async voidApprovals(version: number, endReason: string): Promise<number> {
    const rows = await this.tenancy.query(
      `update shield_approval set state = 'void', ended_at = now(), end_reason = $3
       where tenant_id = $1 and policy_version < $2 and state in ('pending', 'approved') returning 1`,
      [this.tenancy.tenant, version, endReason],
    );
    return rows.length;
  }
}
