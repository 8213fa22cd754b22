import { Injectable } from '@nestjs/common';
import { AuditTrail, type Actor } from '../../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { OrgSeatsBillingSummary } from './seats.dto.js';
import { billSeats } from './seats.rules.js';
import { SeatsStore } from './seats.store.js';

const PROVIDER = 'svc';

/** What the seats of the open unit of work's tenant cost beyond those that its tier includes. */
@Injectable()
export class SeatBillingService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: SeatsStore,
    private readonly audit: AuditTrail,
  ) {}

  async read(): Promise<OrgSeatsBillingSummary> {
    const { active, pending } = await this.store.count();
    const { includedSeats, overageSeats, overagePence } = billSeats(await this.store.readTier(), { active, pending });
    return {
      provider: PROVIDER,
      includedSeats,
      activeSeats: active,
      pendingSeats: pending,
      overageSeats,
      overageGbp: overagePence / 100,
    };
  }

  /** Makes a change that may alter what is billed, and records it where it does. Under the lock of the organisation. */
  async track<T>(by: Actor, change: () => Promise<T>): Promise<T> {
    const before = await this.read();
    const result = await change();
    const { includedSeats, activeSeats, pendingSeats, overageSeats, overageGbp } = await this.read();
    if (overageSeats === before.overageSeats) return result;
    await this.audit.record(by, {
      kind: 'seat.overage_changed',
      subject: this.tenancy.tenant,
      facts: {
        includedSeats,
        countedSeats: activeSeats + pendingSeats,
        overageSeats,
        formerOverageSeats: before.overageSeats,
        overageGbp,
      },
    });
    return result;
  }
}
