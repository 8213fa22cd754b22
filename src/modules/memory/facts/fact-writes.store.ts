import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { roundsOf } from './facts.rules.js';
import type { FactDraft, StoredFact } from './facts.types.js';

const STORE = 'select fact_id, version, stored_at, confidence from svc_store_facts($1, $2)';

/**
 * Writes facts by database functions that lock, count and emit the event in the same statement (migration
 * 1795300000000).
 */
@Injectable()
export class FactWritesStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** In a transaction of its own and one round trip: all or none. */
  store(tenantId: string, drafts: readonly FactDraft[]): Promise<StoredFact[]> {
    return this.tenancy.write<StoredFact>(STORE, [tenantId, JSON.stringify(roundsOf(drafts))]);
  }

  /** In the open unit of work. */
  storeInUnit(drafts: readonly FactDraft[]): Promise<StoredFact[]> {
    return this.tenancy.query<StoredFact>(STORE, [this.tenancy.tenant, JSON.stringify(roundsOf(drafts))]);
  }

  /** In the open unit of work. @returns false when the chain is deleted already */
  async retire(chain: Buffer, tombstoneId: string, by: string): Promise<boolean> {
    const [row] = await this.tenancy.query<{ done: boolean }>('select svc_retire_fact($1, $2, $3, $4) as done', [
      this.tenancy.tenant,
      chain,
      tombstoneId,
      by,
    ]);
    return row!.done;
  }
}
