import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';

/** What one table has of what a hold pins. */
export interface PinnedRows {
  table_name: string;
  row_count: string;
  entity_count: string;
}

/** Attempts that holds refused, and since when. */
export interface RefusedAttempts {
  attempts: string;
  last_at: Date | null;
}

/** What is asked about holds in SQL, of the open unit of work's tenant unless it says otherwise. */
@Injectable()
export class LegalHoldsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /**
   * Waits for the transactions that deleted something without finding the hold that is placed now, so that none of them
   * commits after it (svc_keep_held).
   */
  async lockDeletions(): Promise<void> {
    await this.tenancy.query(`select pg_advisory_xact_lock(hashtextextended('svc holds ' || $1, 0))`, [
      this.tenancy.tenant,
    ]);
  }

  async isTenant(): Promise<boolean> {
    const rows = await this.tenancy.query('select from tenant where tenant_id = $1', [this.tenancy.tenant]);
    return rows.length > 0;
  }

  countPinned(holdId: string): Promise<PinnedRows[]> {
    return this.tenancy.query<PinnedRows>('select * from svc_count_held($1, $2)', [this.tenancy.tenant, holdId]);
  }

  async countRefused(holdId: string): Promise<RefusedAttempts> {
    const [row] = await this.tenancy.query<RefusedAttempts>(
      `select coalesce(sum(attempts), 0) as attempts, max(last_at) as last_at from hold_refusal
       where tenant_id = $1 and hold_ids @> array[$2::uuid]`,
      [this.tenancy.tenant, holdId],
    );
    return row!;
  }
}
