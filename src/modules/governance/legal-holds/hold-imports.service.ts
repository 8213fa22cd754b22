import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { LegalHoldRow } from './legal-hold.entity.js';

/** A hold of another server. */
export interface ImportedHold {
  readonly hold_id: string;
  readonly reason: string;
  readonly entity_prefixes: readonly string[];
  readonly placed_by: string;
  readonly placed_at: string;
  readonly released_by: string | null;
  readonly released_at: string | null;
}

/** Holds supplied by another module, in its unit of work, which holds the lock of placings (svc_keep_held). */
@Injectable()
export class HoldImportsService {
  private readonly holds: TenantRepository<LegalHoldRow>;

  constructor(tenancy: Tenancy) {
    this.holds = new TenantRepository(tenancy, LegalHoldRow);
  }

  /** Places those that are not there; releases those that are active and come released. */
  async storeAll(holds: readonly ImportedHold[], receiptId: string): Promise<void> {
    for (const { hold_id: holdId, released_at, released_by, ...hold } of holds) {
      const there = await this.holds.find({ holdId }, 'update');
      const release = { releasedBy: released_by, releasedAt: released_at, releaseReceipt: receiptId };
      if (!there)
        await this.holds.insert({
          ...{ holdId, reason: hold.reason, entityPrefixes: [...hold.entity_prefixes], incidentId: null },
          ...{ placedBy: hold.placed_by, placedAt: new Date(hold.placed_at), placeReceipt: receiptId },
          ...(released_at === null ? {} : release),
        });
      else if (there.releasedAt === null && released_at !== null) await this.holds.updateOne({ holdId }, release);
    }
  }
}
