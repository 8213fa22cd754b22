import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Actor, AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { SyncApplyService } from './sync-apply.service.js';
import { keyOf } from './sync-ids.rules.js';
import { SyncTakeUpService } from './sync-take-up.service.js';
import { type ChangedRecord, type SyncTenant, SyncTenantsStore } from './sync-tenants.store.js';
import { syncFreed } from './sync.events.js';

/** Changes that are taken up while writers wait. */
const A_ROUND = 5000;

/** Who does what no caller asked for: what a legal hold had kept from being done. */
const SYNC: Actor = { principal: 'sync', authType: 'internal' };

/** 96 random bits: no two databases write under one name, whatever their servers are called. */
const newOrigin = (): string => randomBytes(12).toString('hex');

/**
 * The index of what a tenant has, kept up lazily: before each use it takes up what local writers changed since the use
 * before. The first use makes the tenant one that syncs.
 */
@Injectable()
export class SyncIndexService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly tenants: SyncTenantsStore,
    private readonly takeUps: SyncTakeUpService,
    private readonly applies: SyncApplyService,
    private readonly audit: AuditTrail,
  ) {}

  /** Brings the index up to date, in units of work of its own: writers wait for one round at a time. */
  async open(tenantId: string): Promise<void> {
    if (!(await this.tenancy.run(tenantId, () => this.tenants.isBehind()))) return;
    for (let isMore = true; isMore;)
      isMore = await this.tenancy.run(tenantId, async () => {
        const tenant = await this.lock();
        return this.takeRound(tenant);
      });
  }

  /**
   * In the open unit of work: until it ends nobody writes what sync carries, and the index is complete. Call `open`
   * before it, so that little is left to do.
   */
  async settle(): Promise<SyncTenant> {
    const tenant = await this.lock();
    for (let isMore = true, now = tenant; isMore; now = await this.read()) isMore = await this.takeRound(now);
    return this.read();
  }

  /** Makes the open unit's tenant one that syncs, where it is none: what it has is taken up at the next use. */
  async begin(): Promise<void> {
    await this.lock();
  }

  /** In the open unit of work. */
  async read(): Promise<SyncTenant> {
    const tenant = await this.tenants.find();
    if (!tenant) throw new Error(`tenant ${this.tenancy.tenant} does not sync yet`);
    return tenant;
  }

  private async lock(): Promise<SyncTenant> {
    await this.tenants.lock();
    await this.tenants.followKeys();
    const tenant = await this.tenants.find();
    if (!tenant) await this.tenants.enable(newOrigin());
    else if (tenant.logEpoch !== tenant.currentEpoch)
      // Of a restored database: writes that it does not know of may bear the numbers that would come next.
      await this.tenants.beginOrigin(newOrigin(), tenant.currentEpoch);
    else return tenant;
    return this.read();
  }

  /** @returns whether there is more to take up */
  private async takeRound(tenant: SyncTenant): Promise<boolean> {
    const marked = await this.tenants.marks(A_ROUND);
    const facts = await this.tenants.factsSince(tenant.factSeq, A_ROUND);
    await this.takeUps.takeUp(tenant, [...marked.changed, ...facts.changed].map(nameOf));
    await this.tenants.dropMarks(marked.marks);
    if (facts.last !== tenant.factSeq) await this.tenants.settleFacts(facts.last);
    if (marked.isMore || facts.isMore) return true;
    const receiptOf = async (count: number) =>
      (await this.audit.record(SYNC, syncFreed(this.tenancy.tenant, count))).receiptId;
    await this.applies.applyHeld(SYNC, await this.read(), receiptOf);
    return false;
  }
}

const nameOf = ({ target, parts }: ChangedRecord) => ({ target, parts, key: keyOf(target, parts) });
