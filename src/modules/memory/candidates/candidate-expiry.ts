import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { eachInTurn } from '../../../common/scheduler/each-in-turn.js';
import { Scheduler } from '../../../common/scheduler/scheduler.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { CandidateMatchesStore } from './candidate-matches.store.js';
import { LOCK } from './candidate-standings.service.js';
import { candidateEntry } from './candidates.events.js';

const EVERY_MS = 3_600_000;
const BATCH = 200;
const REASON = 'candidate expiry';
const EXPIRY = { principal: 'svc:candidate-expiry', authType: 'system' } as const;

/** Ends candidates that nobody decided on in SVCD_CANDIDATE_DAYS, with receipt and event. */
@Injectable()
export class CandidateExpiry implements OnApplicationBootstrap {
  private readonly days: number;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly crossTenant: CrossTenant,
    private readonly tenancy: Tenancy,
    private readonly audit: AuditTrail,
    private readonly store: CandidateMatchesStore,
    @Inject(SETTINGS) { memory }: Settings,
  ) {
    this.days = memory.candidateDays;
  }

  onApplicationBootstrap(): void {
    this.scheduler.every(REASON, EVERY_MS, () => this.sweep());
  }

  async sweep(): Promise<void> {
    const tenants = await this.crossTenant.run(REASON, (query) =>
      query<{ tenant_id: string }>(
        `select distinct c.tenant_id from candidate c where c.status = 'pending' and c.created_at < now() - make_interval(days => $1)`,
        [this.days],
      ),
    );
    await eachInTurn(tenants, ({ tenant_id: tenant }) => this.tenancy.run(tenant, () => this.expireSome()));
  }

  /** @returns whether there may be more */
  private async expireSome(): Promise<boolean> {
    await this.tenancy.lock(LOCK);
    const ids = await this.store.expire(this.days, BATCH);
    const entries = ids.map((id) => candidateEntry('expired', id, { days: this.days }));
    if (entries.length > 0) await this.audit.recordMany(EXPIRY, entries);
    return ids.length === BATCH;
  }
}
