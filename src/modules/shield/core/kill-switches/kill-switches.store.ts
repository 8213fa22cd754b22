import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../../common/tenancy/tenant-repository.js';
import type { SwitchScope } from '../shield.types.js';
import { KillSwitchRow } from './kill-switch.entity.js';

export type ReadSwitch = Pick<KillSwitchRow, 'scope' | 'target' | 'includeReads'>;

export type NewKillSwitch = ReadSwitch &
  Pick<KillSwitchRow, 'killSwitchId' | 'mode' | 'reason' | 'createdBy' | 'expiresAt'> & { drillId?: string };

export interface KillSwitchFilter {
  active?: boolean;
  scope?: SwitchScope;
}

@Injectable()
export class KillSwitchesStore {
  private readonly switches: TenantRepository<KillSwitchRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.switches = new TenantRepository(tenancy, KillSwitchRow);
  }

  /** Those that may stop a read; in one round trip, outside of a unit of work. */
  findReadSwitches(tenantId: string): Promise<ReadSwitch[]> {
    return this.tenancy.call<ReadSwitch>(
      'select scope, target, include_reads as "includeReads" from svc_shield_read_switches($1)',
      [tenantId],
    );
  }

  set(given: NewKillSwitch): Promise<KillSwitchRow> {
    return this.switches.insert(given);
  }

  /** @returns undefined when it was lifted before, or never set */
  async lift(killSwitchId: string, liftedBy: string, liftReason: string): Promise<KillSwitchRow | undefined> {
    const lifted = { liftedBy, liftedAt: () => 'now()', liftReason };
    return (await this.switches.update({ killSwitchId, liftedAt: IsNull() }, lifted))[0];
  }

  find(killSwitchId: string): Promise<KillSwitchRow | undefined> {
    return this.switches.find({ killSwitchId, drillId: IsNull() });
  }

  /** Newest first. */
  list(
    { active: isActive, scope }: KillSwitchFilter,
    after: [killSwitchId: string] | undefined,
    take: number,
  ): Promise<KillSwitchRow[]> {
    return this.switches.list({ isActive, scope, drillId: IsNull() }, { order: { killSwitchId: 'desc' }, after, take });
  }
}
