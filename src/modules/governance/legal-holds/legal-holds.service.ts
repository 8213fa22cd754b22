import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { uuid } from '../../../common/ids/uuid.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { EvidenceService } from '../../../common/evidence-log/evidence.service.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { HoldRefusals } from '../../../common/legal-holds/hold-refusals.service.js';
import { TenantMismatch, TenantNotRegistered } from '../../../common/problem/daemon-problems.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { IncidentStates } from './incident-states.service.js';
import { LegalHoldRow } from './legal-hold.entity.js';
import type {
  LegalHoldDetails,
  LegalHoldList,
  LegalHoldReply,
  LegalHoldsQuery,
  PlaceLegalHold,
} from './legal-holds.dto.js';
import { holdPlaced, holdReleased } from './legal-holds.events.js';
import { HoldNotReleasable, HoldTenantUnknown, LegalHoldUnknown } from './legal-holds.problems.js';
import { LegalHoldsStore } from './legal-holds.store.js';
import { detailsOf, holdOf, holdReply } from './legal-holds.views.js';

/**
 * Legal holds: what they pin is kept by triggers of the tables themselves (svc_pin_table), whoever deletes and by
 * whatever way; here they are placed and released, each with its receipt.
 */
@Injectable()
export class LegalHoldsService {
  private readonly holds: TenantRepository<LegalHoldRow>;

  constructor(
    tenancy: Tenancy,
    private readonly tenants: TenantResolver,
    private readonly store: LegalHoldsStore,
    private readonly refusals: HoldRefusals,
    private readonly incidents: IncidentStates,
    private readonly audit: AuditTrail,
    private readonly evidence: EvidenceService,
  ) {
    this.holds = new TenantRepository(tenancy, LegalHoldRow);
  }

  /**
   * Joins a unit of work of the same tenant that is open. Deletions under way are waited for; none that ends later goes
   * past the hold.
   * @param incidentId of the incident that places it: then it cannot be released until that is closed
   * @throws HoldTenantUnknown, TenantMismatch, ValidationFailed
   */
  async place(caller: DaemonCaller, request: PlaceLegalHold, incidentId?: string): Promise<LegalHoldReply> {
    const { tenant_id: tenantId, reason, entity_prefixes: prefixes } = request;
    if (reason.trim() === '') throw invalid('body.reason', 'must say why: it is what the receipt shows');
    const empty = prefixes.indexOf('');
    if (empty >= 0)
      throw invalid(`body.entity_prefixes[${empty}]`, 'must not be empty; an empty list pins the whole tenant');
    const hold = { holdId: uuid(), reason, entityPrefixes: [...new Set(prefixes)], incidentId: incidentId ?? null };
    try {
      return await this.tenants.run(caller, tenantId, async () => {
        if (!(await this.store.isTenant())) throw unknownTenant(tenantId);
        await this.store.lockDeletions();
        const { receiptId } = await this.audit.record(caller, holdPlaced(hold));
        const row = await this.holds.insert({ ...hold, placedBy: caller.principal, placeReceipt: receiptId });
        return holdReply(row, await this.evidence.read(receiptId));
      });
    } catch (error) {
      throw error instanceof TenantNotRegistered ? unknownTenant(tenantId) : error;
    }
  }

  /** @throws LegalHoldUnknown, HoldNotReleasable */
  release(caller: DaemonCaller, id: string): Promise<LegalHoldReply> {
    return this.inTenantOf(caller, id, async () => {
      // The incident first: whoever changes it, and waits for others, keeps this one from nothing.
      await this.expectClosed(await this.readById(id));
      const hold = await this.readById(id, 'update');
      expectActive(hold);
      const { receiptId } = await this.audit.record(caller, holdReleased(hold));
      const released = {
        releasedBy: caller.principal,
        releasedAt: () => 'clock_timestamp()',
        releaseReceipt: receiptId,
      };
      const row = await this.holds.updateOne({ holdId: id }, released);
      return holdReply(row, await this.evidence.read(receiptId));
    });
  }

  list(caller: DaemonCaller, { tenant_id, status, limit, cursor }: LegalHoldsQuery): Promise<LegalHoldList> {
    const after = decodeCursor(cursor, ['uuid']);
    const releasedAt = status === undefined ? undefined : status === 'active' ? IsNull() : Not(IsNull());
    return this.tenants.run(caller, tenant_id, async () => {
      const rows = await this.holds.list({ releasedAt }, { order: { holdId: 'desc' }, after, take: limit + 1 });
      const { page, next_cursor } = takePage(rows, limit, ({ holdId }) => [holdId]);
      return { holds: page.map(holdOf), count: page.length, next_cursor };
    });
  }

  /** @throws LegalHoldUnknown */
  read(caller: DaemonCaller, id: string): Promise<LegalHoldDetails> {
    return this.inTenantOf(caller, id, async () => {
      const hold = await this.readById(id);
      return detailsOf(hold, await this.store.countPinned(id), await this.store.countRefused(id));
    });
  }

  /** A hold is addressed by its id alone; one of a tenant that the caller does not reach is not there. */
  private async inTenantOf<T>(caller: DaemonCaller, id: string, work: () => Promise<T>): Promise<T> {
    const tenantId = await this.refusals.findTenantOf(id, caller.homeTenant);
    if (tenantId === undefined) throw unknownHold(id);
    try {
      return await this.tenants.run(caller, tenantId, work);
    } catch (error) {
      throw error instanceof TenantMismatch ? unknownHold(id) : error;
    }
  }

  /** Until the unit of work ends. @throws HoldNotReleasable */
  private async expectClosed(hold: LegalHoldRow): Promise<void> {
    expectActive(hold);
    if (hold.incidentId === null || !(await this.incidents.isOpen(hold.incidentId))) return;
    throw notReleasable(hold, `The incident ${hold.incidentId} placed it and is not closed: close that first`);
  }

  private async readById(holdId: string, lock?: 'update'): Promise<LegalHoldRow> {
    const hold = await this.holds.find({ holdId }, lock);
    if (!hold) throw unknownHold(holdId);
    return hold;
  }
}

const unknownTenant = (tenantId: string): HoldTenantUnknown =>
  new HoldTenantUnknown(
    { tenant_id: tenantId },
    `Nobody registered the tenant ${tenantId}, so that there is nothing to pin; look for a slip in its name`,
  );

const unknownHold = (id: string): LegalHoldUnknown =>
  new LegalHoldUnknown({ hold_id: id }, `No legal hold has the id ${id}; GET /v1/legal-holds lists them`);

/** @throws HoldNotReleasable */
function expectActive(hold: LegalHoldRow): void {
  if (hold.releasedAt) throw notReleasable(hold, `It was released ${hold.releasedAt.toISOString()}`);
}

const notReleasable = ({ holdId, releasedAt, incidentId }: LegalHoldRow, why: string): HoldNotReleasable =>
  new HoldNotReleasable(
    { hold_id: holdId, released_at: releasedAt?.toISOString() ?? null, incident_id: incidentId },
    why,
  );
