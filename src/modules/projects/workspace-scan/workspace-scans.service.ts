import { Inject, Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import type { PageQuery } from '../../../common/fields/page.dto.js';
import { Jobs } from '../../../common/jobs/jobs.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { ScanList, ScanReply, WorkspaceScan } from './workspace-scan.dto.js';
import type { WorkspaceScanRow } from './workspace-scan.entity.js';
import { scanStep } from './workspace-scan.events.js';
import { ScanUnknown, WorkspaceUnset } from './workspace-scan.problems.js';
import { scanOf } from './workspace-scan.views.js';
import { WorkspaceScansStore } from './workspace-scans.store.js';

/** Scans of the workspace: asked for here, done by {@link ScanRunner} in a process that works on jobs. */
@Injectable()
export class WorkspaceScansService {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly tenants: TenantResolver,
    private readonly store: WorkspaceScansStore,
    private readonly jobs: Jobs,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws WorkspaceUnset */
  start(caller: DaemonCaller): Promise<ScanReply> {
    if (this.settings.daemon.workspaceRoot === undefined)
      throw new WorkspaceUnset(
        { setting: 'SVCD_WORKSPACE_ROOT' },
        'Set SVCD_WORKSPACE_ROOT to the folder to be scanned, for the daemon and for the processes that work on jobs, and start them again',
      );
    return this.tenants.write(caller, undefined, async () => {
      const { row, isNew } = await this.store.findOpenOrInsert({ scanId: uuid(), createdBy: caller.principal });
      if (isNew) {
        await this.jobs.send('workspace.scan', { tenantId: row.tenantId, scanId: row.scanId });
        await this.audit.record(caller, scanStep('requested', row));
      }
      return { scan: scanOf(row), started: isNew };
    });
  }

  /** @throws ScanUnknown */
  read(caller: DaemonCaller, scanId: string): Promise<WorkspaceScan> {
    return this.tenants.run(caller, undefined, async () => {
      const row = await this.store.find(scanId);
      if (row) return scanOf(row);
      throw new ScanUnknown({ scan_id: scanId }, 'GET /v1/workspace/scans lists those there are');
    });
  }

  list(caller: DaemonCaller, { limit, cursor }: PageQuery): Promise<ScanList> {
    const after = decodeCursor(cursor, ['uuid']);
    return this.tenants.run(caller, undefined, async () => {
      const rows = await this.store.list(after, limit + 1);
      const { page, has_more, next_cursor } = takePage(rows, limit, ({ scanId }) => [scanId]);
      return { scans: page.map(scanOf), count: page.length, has_more, next_cursor };
    });
  }

  /** In the open unit of work: the last one that ended well. */
  findLast(): Promise<WorkspaceScanRow | undefined> {
    return this.store.findLast();
  }
}
