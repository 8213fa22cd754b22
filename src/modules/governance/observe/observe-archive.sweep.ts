import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { eachInTurn } from '../../../common/scheduler/each-in-turn.js';
import { Scheduler } from '../../../common/scheduler/scheduler.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { sessionArchived } from './observe.events.js';

const HOUR_MS = 3_600_000;
const BATCH = 100;
const WHAT = 'observation archive';
const SERVER = { principal: 'server', authType: 'internal' } as const;

interface DueSession {
  tenant_id: string;
  session_id: string;
  /** As text: a Date has no more than milliseconds. */
  opened_at: string;
}

/**
 * Archives sessions in which nothing has happened for SVCD_OBS_RETENTION_DAYS: what was in their steps is removed with
 * its salt, and tree, times, digests and receipts stay. What a legal hold pins is left as it is. Whether SVCD_OBSERVE
 * is on does not matter: there are sessions from when it was, and those that handoffs write to.
 */
@Injectable()
export class ObserveArchiveSweep implements OnApplicationBootstrap {
  private readonly days: number | undefined;

  constructor(
    @Inject(SETTINGS) { daemon }: Settings,
    private readonly scheduler: Scheduler,
    private readonly crossTenant: CrossTenant,
    private readonly tenancy: Tenancy,
    private readonly audit: AuditTrail,
  ) {
    this.days = daemon.observeRetentionDays;
  }

  onApplicationBootstrap(): void {
    if (this.days !== undefined) this.scheduler.every(WHAT, HOUR_MS, () => this.sweep());
  }

  /** @returns how many sessions were archived */
  async sweep(): Promise<number> {
    let archived = 0;
    await eachInTurn(this.findDue(), async (session) => {
      archived += Number(await this.archive(session));
    });
    return archived;
  }

  private async *findDue(): AsyncGenerator<DueSession> {
    for (let last: DueSession | undefined; ;) {
      const after = [last?.opened_at, last?.tenant_id, last?.session_id];
      const due = await this.crossTenant.run(WHAT, (query) => query<DueSession>(DUE, [this.days, BATCH, ...after]));
      yield* due;
      if (due.length < BATCH) return;
      last = due.at(-1);
    }
  }

  /** @returns false where it was used, or pinned, meanwhile */
  private archive({ tenant_id: tenant, session_id: sessionId }: DueSession): Promise<boolean> {
    return this.tenancy.run(tenant, async () => {
      const [row] = await this.tenancy.query<{ archived_at: Date }>(ARCHIVE, [tenant, sessionId, this.days]);
      if (!row) return false;
      const [{ steps }] = (await this.tenancy.query<{ steps: number }>(EMPTY, [tenant, sessionId])) as [
        { steps: number },
      ];
      await this.audit.record(SERVER, sessionArchived(sessionId, row.archived_at, steps));
      return true;
    });
  }
}

const IS_DUE = (session: string, days: string): string => `${session}.archived_at is null
  and ${session}.opened_at < now() - make_interval(days => ${days})
  and svc_holds_on(${session}.tenant_id, 'session:' || ${session}.session_id) = '{}'
  and not exists (select from observe_step step where step.tenant_id = ${session}.tenant_id and step.session_id = ${session}.session_id
    and greatest(step.opened_at, step.closed_at) >= now() - make_interval(days => ${days}))`;

const DUE = `select s.tenant_id, s.session_id, s.opened_at::text as opened_at from observe_session s join tenant t on t.tenant_id = s.tenant_id and t.state = 'active'
  where ${IS_DUE('s', '$1::int')}
    and ($3::timestamptz is null or (s.opened_at, s.tenant_id, s.session_id) > ($3::timestamptz, $4::text, $5::text))
  order by s.opened_at, s.tenant_id, s.session_id limit $2`;
const ARCHIVE = `update observe_session s set archived_at = now()
  where s.tenant_id = $1 and s.session_id = $2 and ${IS_DUE('s', '$3::int')} returning s.archived_at`;
const EMPTY = `with emptied as (
    update observe_step set label = '', inputs = '[]', outputs = null, enrich_ref = null, reasoning_ref = null, salt = null
    where tenant_id = $1 and session_id = $2 returning 1
  ) select count(*)::int as steps from emptied`;
