import { Injectable } from '@nestjs/common';
import { isKeyOf } from '../../../../common/keys/makers.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../../common/tenancy/tenant-repository.js';
import { GatePolicyRow } from './gate-policy.entity.js';
import type { GateFilter } from './gates.types.js';
import { isOpenGate, isOverGate } from './open-gates.views.js';
import { WorkGateRow } from './work-gate.entity.js';

/** The gates and policies of the open unit of work's tenant. */
@Injectable()
export class GatesStore {
  readonly gates: TenantRepository<WorkGateRow>;
  readonly policies: TenantRepository<GatePolicyRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.gates = new TenantRepository(tenancy, WorkGateRow);
    this.policies = new TenantRepository(tenancy, GatePolicyRow);
  }

  /** Whether who decides is a key that who asked has made. */
  isKeyOfAsker(decider: string, { requestedPrincipal }: WorkGateRow): Promise<boolean> {
    return isKeyOf(this.tenancy, decider, requestedPrincipal);
  }

  /** Oldest first. */
  listOpen(of: GateFilter, after: [number, string] | undefined, take: number): Promise<WorkGateRow[]> {
    const order = { requestedAt: 'asc', actionId: 'asc' } as const;
    return this.gates
      .select('gate', { status: 'pending', ...of }, { order, after, take })
      .andWhere(isOpenGate('gate'))
      .getMany();
  }

  listOpenOf(workIds: readonly string[]): Promise<WorkGateRow[]> {
    if (workIds.length === 0) return Promise.resolve([]);
    return this.gates
      .select('gate', { status: 'pending' }, { order: { requestedAt: 'asc', actionId: 'asc' }, take: 200 })
      .andWhere('gate.work_id = any(:workIds)', { workIds })
      .andWhere(isOpenGate('gate'))
      .getMany();
  }

  /** Pending in the table alone, and locked: another sweep leaves them out. */
  lockOver(take: number): Promise<WorkGateRow[]> {
    return this.gates
      .select('gate', { status: 'pending' }, { order: { requestedAt: 'asc', actionId: 'asc' }, take })
      .andWhere(isOverGate('gate'))
      .setLock('for_no_key_update')
      .setOnLocked('skip_locked')
      .getMany();
  }
}
