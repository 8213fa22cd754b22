import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { DrillKind, DrillResult, DrillState, DrillStep } from './drills.types.js';

export interface DrillRow {
  drill_id: string;
  kind: DrillKind;
  reason: string;
  state: DrillState;
  requested_by: string;
  requested_at: Date;
  started_at: Date | null;
  completed_at: Date | null;
  detected: boolean | null;
  detection_us: number | null;
  recovery_us: number | null;
  passed: boolean | null;
  steps: DrillStep[];
  error: string | null;
}

export interface DrillFilter {
  kind?: DrillKind;
  status?: DrillState;
}

const COLUMNS = `drill_id, kind, reason, state, requested_by, requested_at, started_at, completed_at, detected, detection_us::float8 as detection_us,
  recovery_us::float8 as recovery_us, passed, steps, error`;

@Injectable()
export class DrillsStore {
  constructor(private readonly tenancy: Tenancy) {}

  async queue(drill: Pick<DrillRow, 'drill_id' | 'kind' | 'reason' | 'requested_by'>): Promise<DrillRow> {
    const [row] = await this.tenancy.query<DrillRow>(
      `insert into shield_drill (tenant_id, drill_id, kind, reason, state, requested_by) values ($1, $2, $3, $4, 'queued', $5) returning ${COLUMNS}`,
      [this.tenancy.tenant, drill.drill_id, drill.kind, drill.reason, drill.requested_by],
    );
    if (!row) throw new Error('a drill was not queued');
    return row;
  }

  /** Also one whose process died while it ran; undefined when it is over. */
  async start(drillId: string): Promise<DrillRow | undefined> {
    const [row] = await this.tenancy.query<DrillRow>(
      `update shield_drill set state = 'running', started_at = clock_timestamp() where tenant_id = $1 and drill_id = $2
         and state in ('queued', 'running') returning ${COLUMNS}`,
      [this.tenancy.tenant, drillId],
    );
    return row;
  }

  async complete(drillId: string, result: DrillResult, passed: boolean): Promise<void> {
    await this.tenancy.query(
      `update shield_drill set state = 'completed', completed_at = clock_timestamp(), detected = $3, detection_us = $4, recovery_us = $5,
         passed = $6, steps = $7 where tenant_id = $1 and drill_id = $2`,
      [
        this.tenancy.tenant,
        drillId,
        result.detectionUs !== null,
        result.detectionUs,
        result.recoveryUs,
        passed,
        JSON.stringify(result.steps),
      ],
    );
  }

  async fail(drillId: string, error: string): Promise<void> {
    await this.tenancy.query(
      `update shield_drill set state = 'failed', completed_at = clock_timestamp(), passed = false, error = $3
       where tenant_id = $1 and drill_id = $2`,
      [this.tenancy.tenant, drillId, error],
    );
  }

  /** Newest first. */
  list(filter: DrillFilter, after: string | undefined, limit: number): Promise<DrillRow[]> {
    return this.tenancy.query<DrillRow>(
      `select ${COLUMNS} from shield_drill where tenant_id = $1 and ($2::text is null or kind = $2) and ($3::text is null or state = $3)
         and ($4::uuid is null or drill_id < $4) order by drill_id desc limit $5`,
      [this.tenancy.tenant, filter.kind ?? null, filter.status ?? null, after ?? null, limit],
    );
  }

  /** Puts an approval of a drill past its time. */
  async expire(approvalRequestId: string): Promise<void> {
    await this.tenancy.query(
      `update shield_approval set expires_at = clock_timestamp() - interval '1 second'
       where tenant_id = $1 and approval_request_id = $2 and drill_id is not null`,
      [this.tenancy.tenant, approvalRequestId],
    );
  }

  /** Takes away all that a drill put up; switches are lifted first, so that every process hears of it. */
  async clear(drillId: string): Promise<void> {
    const parameters = [this.tenancy.tenant, drillId];
    await this.tenancy.query(
      `update shield_kill_switch set lifted_by = created_by, lifted_at = now() where tenant_id = $1 and drill_id = $2 and lifted_at is null`,
      parameters,
    );
    await this.tenancy.query('delete from shield_kill_switch where tenant_id = $1 and drill_id = $2', parameters);
    await this.tenancy.query('delete from shield_digest where tenant_id = $1 and drill_id = $2', parameters);
    await this.tenancy.query('delete from shield_approval where tenant_id = $1 and drill_id = $2', parameters);
  }
}
