import { Inject, Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { isFlagOn } from '../../../common/config/daemon/flag-state.js';
import { DAEMON_FLAGS, type DaemonFlagName } from '../../../common/config/daemon/flag-table.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { Restarts } from '../../../common/restarts.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { MIGRATIONS } from '../../../migrations/index.js';
import { VersionService } from '../system/version.service.js';
import type { OperatorVersion, RestartAccepted, RestartRequest } from './admin.dto.js';
import { restartRequested } from './admin.events.js';
import { NoSupervisor } from './admin.problems.js';
import { AdminStore } from './admin.store.js';

/** What this daemon is, and its restart. */
@Injectable()
export class AdminService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly store: AdminStore,
    private readonly versions: VersionService,
    private readonly restarts: Restarts,
    private readonly audit: AuditTrail,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async readVersion(): Promise<OperatorVersion> {
    const { postgresql, applied } = await this.store.readDatabase();
    const { flags, tracing } = this.settings;
    const { version, build, started_at } = this.versions.read();
    return {
      ...{ version, commit: build.commit, built_at: build.built_at, started_at },
      ...{ node: process.version, postgresql, migrations: { applied, known: MIGRATIONS.length } },
      build_features: [...tracing.features],
      flags: (Object.keys(DAEMON_FLAGS) as DaemonFlagName[]).map((name) => ({
        name: DAEMON_FLAGS[name].env,
        on: isFlagOn(flags, name),
      })),
      ...{ uptime_seconds: Math.floor(process.uptime()), pid: process.pid, supervised: this.restarts.isSupervised },
    };
  }

  /**
   * The receipt is committed before anything ends; the answer leaves before the drain, which waits for it.
   * @throws NoSupervisor
   */
  restart(caller: DaemonCaller, { reason }: RestartRequest): Promise<RestartAccepted> {
    if (!this.restarts.isSupervised)
      throw new NoSupervisor(
        {},
        'This daemon runs by itself: end it with SIGTERM, which drains it, and start it again; "svc start" is a supervisor',
      );
    return this.tenants.write(caller, undefined, async () => {
      const restartId = uuid();
      const { receiptId } = await this.audit.record(caller, restartRequested(restartId, reason ?? null));
      this.tenancy.afterCommit(() => this.restarts.request());
      const { drainSeconds } = this.settings.daemon;
      return { restart_id: restartId, receipt_id: receiptId, drain_seconds: drainSeconds };
    });
  }
}
