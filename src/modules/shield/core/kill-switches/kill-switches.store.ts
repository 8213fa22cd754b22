import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { SwitchMode, SwitchScope } from '../shield.types.js';

export interface ReadSwitchRow {
  scope: SwitchScope;
  target: string | null;
  include_reads: boolean;
}

export interface KillSwitchRow {
  kill_switch_id: string;
  scope: SwitchScope;
  target: string | null;
  mode: SwitchMode;
  include_reads: boolean;
  reason: string;
  created_by: string;
  created_at: Date;
  expires_at: Date | null;
  lifted_by: string | null;
  lifted_at: Date | null;
  lift_reason: string | null;
  is_active: boolean;
}

export interface NewKillSwitch {
  killSwitchId: string;
  scope: SwitchScope;
  target: string | null;
  mode: SwitchMode;
  includeReads: boolean;
  reason: string;
  principal: string;
  expiresAt: string | null;
  drillId?: string;
}

export interface KillSwitchFilter {
  active?: boolean;
  scope?: SwitchScope;
}

const COLUMNS = `kill_switch_id, scope, target, mode, include_reads, reason, created_by, created_at, expires_at, lifted_by, lifted_at, lift_reason,
  lifted_at is null and (expires_at is null or expires_at > statement_timestamp()) as is_active`;

@Injectable()
export class KillSwitchesStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** Those that may stop a read; in one round trip, outside of a unit of work. */
  findReadSwitches(tenantId: string): Promise<ReadSwitchRow[]> {
    return this.tenancy.call<ReadSwitchRow>('select * from svc_shield_read_switches($1)', [tenantId]);
  }

  async set(given: NewKillSwitch): Promise<KillSwitchRow> {
    const [row] = await this.tenancy.query<KillSwitchRow>(
      `insert into shield_kill_switch (tenant_id, kill_switch_id, scope, target, mode, include_reads, reason, created_by, expires_at, drill_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${COLUMNS}`,
      [
        this.tenancy.tenant,
        given.killSwitchId,
        given.scope,
        given.target,
        given.mode,
        given.includeReads,
        given.reason,
        given.principal,
        given.expiresAt,
        given.drillId ?? null,
      ],
    );
    if (!row) throw new Error('a kill switch was not set');
    return row;
  }

  /** Undefined when it does not stand any more, or never did. */
  async lift(killSwitchId: string, principal: string, reason: string): Promise<KillSwitchRow | undefined> {
    const [row] = await this.tenancy.query<KillSwitchRow>(
      `update shield_kill_switch set lifted_by = $3, lifted_at = now(), lift_reason = $4
       where tenant_id = $1 and kill_switch_id = $2 and lifted_at is null returning ${COLUMNS}`,
      [this.tenancy.tenant, killSwitchId, principal, reason],
    );
    return row;
  }

  async find(killSwitchId: string): Promise<KillSwitchRow | undefined> {
    const [row] = await this.tenancy.query<KillSwitchRow>(
      `select ${COLUMNS} from shield_kill_switch where tenant_id = $1 and kill_switch_id = $2 and drill_id is null`,
      [this.tenancy.tenant, killSwitchId],
    );
    return row;
  }

  /** Newest first. */
  list(filter: KillSwitchFilter, after: string | undefined, limit: number): Promise<KillSwitchRow[]> {
    return this.tenancy.query<KillSwitchRow>(
      `select * from (select ${COLUMNS} from shield_kill_switch where tenant_id = $1 and drill_id is null) one
       where ($2::boolean is null or is_active = $2) and ($3::text is null or scope = $3) and ($4::uuid is null or kill_switch_id < $4)
       order by kill_switch_id desc limit $5`,
      [this.tenancy.tenant, filter.active ?? null, filter.scope ?? null, after ?? null, limit],
    );
  }
}
