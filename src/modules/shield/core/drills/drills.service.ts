import { Inject, Injectable } from '@nestjs/common';
import { uuid } from '../../../../common/ids/uuid.js';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { isDatabaseUnavailable } from '../../../../common/database/unavailable.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import { Jobs } from '../../../../common/jobs/jobs.js';
import { LOG, type Log } from '../../../../common/observability/log.js';
import { Outbox } from '../../../../common/outbox/outbox.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { DrillKindsService } from './drill-kinds.service.js';
import { DrillLog } from './drill-log.js';
import type { Drill, DrillList, DrillListQuery, DrillRequest } from './drills.dto.js';
import { DrillsStore, type DrillRow } from './drills.store.js';
import { DETECTION_LIMIT_US, type DrillJob, type DrillKind, type DrillResult } from './drills.types.js';

/** Incident drills: asked for, run by a worker, and judged by what was measured. */
@Injectable()
export class DrillsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly drills: DrillsStore,
    private readonly faults: DrillKindsService,
    private readonly jobs: Jobs,
    private readonly outbox: Outbox,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async request(caller: TenantCaller, { kind, reason }: DrillRequest): Promise<Drill> {
    const row = await this.drills.queue({ drill_id: uuid(), kind, reason, requested_by: caller.principal });
    await this.jobs.send('shield.drill', { tenantId: caller.tenantId, drillId: row.drill_id } satisfies DrillJob);
    return toDrill(row);
  }

  async list(caller: TenantCaller, query: DrillListQuery): Promise<DrillList> {
    const after = decodeCursor(query.cursor, ['uuid'])?.[0];
    const rows = await this.tenancy.run(caller.tenantId, () => this.drills.list(query, after, query.limit + 1));
    const { page, next_cursor } = takePage(rows, query.limit, (row) => [row.drill_id]);
    return { incidentDrills: page.map(toDrill), next_cursor };
  }

  /** One whose process died is run again from its beginning: what was put up before is taken away first. */
  async run(job: DrillJob): Promise<void> {
    const drill = await this.tenancy.run(job.tenantId, async () => {
      await this.drills.clear(job.drillId);
      return this.drills.start(job.drillId);
    });
    if (!drill) return;
    try {
      await this.complete(job, drill, await this.perform(job, drill.kind));
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      this.log.error({ error, drill_id: job.drillId }, 'an incident drill could not be performed');
      const message = error instanceof Error ? error.message : String(error);
      await this.tenancy.run(job.tenantId, () => this.drills.fail(job.drillId, message));
    }
  }

  /** Nothing that was put up stays, however it went. */
  private async perform(job: DrillJob, kind: DrillKind): Promise<DrillResult> {
    const log = new DrillLog();
    try {
      await this.faults.kinds[kind](job, log);
      return log.result;
    } finally {
      await this.tenancy.run(job.tenantId, () => this.drills.clear(job.drillId));
    }
  }

  private async complete({ tenantId, drillId }: DrillJob, drill: DrillRow, result: DrillResult): Promise<void> {
    const passed = hasPassed(drill.kind, result);
    const data = { kind: drill.kind, passed, detectionUs: result.detectionUs, recoveryUs: result.recoveryUs };
    await this.tenancy.run(tenantId, async () => {
      await this.drills.complete(drillId, result, passed);
      this.outbox.emit({ kind: 'shield.drill_completed', subject: drillId, data });
    });
  }
}

const hasPassed = (kind: DrillKind, { detectionUs, recoveryUs, steps }: DrillResult): boolean =>
  detectionUs !== null &&
  detectionUs <= (DETECTION_LIMIT_US[kind] ?? Infinity) &&
  recoveryUs !== null &&
  steps.every(({ ok }) => ok);

const toDrill = (row: DrillRow): Drill => ({
  drillId: row.drill_id,
  kind: row.kind,
  reason: row.reason,
  status: row.state,
  requestedBy: row.requested_by,
  requestedAt: row.requested_at.toISOString(),
  startedAt: row.started_at?.toISOString() ?? null,
  completedAt: row.completed_at?.toISOString() ?? null,
  detected: row.detected,
  detectionMs: row.detection_us === null ? null : row.detection_us / 1000,
  recoveryMs: row.recovery_us === null ? null : row.recovery_us / 1000,
  passed: row.passed,
  steps: row.steps.map(({ name, at_us, ok, detail }) => ({ name, atMs: at_us / 1000, ok, detail })),
  error: row.error,
});
