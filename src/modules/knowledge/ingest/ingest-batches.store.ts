import { Injectable } from '@nestjs/common';
import type { StoredLeaves } from '../../../common/evidence-log/leaf-batches.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';

/** Rows of `ingest_batch`: what the receipts over several ingests bind. */
@Injectable()
export class IngestBatchesStore {
  constructor(private readonly tenancy: Tenancy) {}

  async add(receiptId: string, { ids, leaves }: StoredLeaves): Promise<void> {
    await this.tenancy.query(
      'insert into ingest_batch (tenant_id, receipt_id, ingests, leaves) values ($1, $2, $3, $4)',
      [this.tenancy.tenant, receiptId, ids, leaves],
    );
  }

  async find(receiptId: string): Promise<StoredLeaves> {
    const [row] = await this.tenancy.query<StoredLeaves>(
      'select ingests as ids, leaves from ingest_batch where tenant_id = $1 and receipt_id = $2',
      [this.tenancy.tenant, receiptId],
    );
    return row ?? { ids: null, leaves: null };
  }
}
