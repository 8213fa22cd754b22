import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../common/evidence-log/audit-trail.js';
import { EvidenceService } from '../../../common/evidence-log/evidence.service.js';
import { rangesOf } from '../../../common/evidence-log/leaf-marks.js';
import { LogReader } from '../../../common/evidence-log/log-reader.js';
import { LogSequencer } from '../../../common/evidence-log/log-sequencer.js';
import { RECORDS_ERASED } from '../../../common/evidence-log/removed-records.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TENANT_STREAM } from '../../../common/tenancy/tenant-state.js';
import { blake3 } from '../../../evidence/digest.js';
import { openReceipt, openRetrieval } from '../../../evidence/receipt.js';

export const ERASURE: Actor = { principal: 'svc:erasure', authType: 'system' };
const REASON = 'tenant erasure';
/** Records that one receipt announces and one transaction erases. */
const BATCH = 1_000;

const RECORD_TABLES = ['receipt', 'retrieval_receipt'] as const;
type RecordTable = (typeof RECORD_TABLES)[number];
export const isRecordTable = (table: string): table is RecordTable => RECORD_TABLES.includes(table as RecordTable);

interface DueRecord {
  readonly key: string | Buffer;
  readonly digest: Uint8Array;
  /** As the record itself says. */
  readonly tenantId: string | undefined;
}

/**
 * Erases the receipts and retrieval receipts of a tenant. Their leaves stay in the log without a record, as those of
 * records that somebody removed would; so a receipt in the chain that outlasts the tenant names the leaves before
 * their records go (docs/decisions/0146).
 */
@Injectable()
export class RecordErasureService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly crossTenant: CrossTenant,
    private readonly evidence: EvidenceService,
    private readonly sequencer: LogSequencer,
  ) {}

  /**
   * One batch of one table. What a process that died had announced is announced again: naming a leaf twice does no
   * harm.
   * @returns how many went; null while another process is at it
   */
  async eraseSome(tenantId: string, table: RecordTable): Promise<number | null> {
    const due = await this.findDue(tenantId, table);
    if (due.length === 0) return 0;
    await this.announce(tenantId, due);
    const keys = due.map(({ key }) => key);
    return this.crossTenant.run(REASON, async (query) => {
      const [receipts, retrievals] = table === 'receipt' ? [keys, []] : [[], keys];
      const [row] = await query<{ erased: number | null }>(ERASE_RECORDS, [tenantId, receipts, retrievals]);
      return row!.erased;
    });
  }

  private findDue(tenantId: string, table: RecordTable): Promise<DueRecord[]> {
    return this.crossTenant.run(REASON, async (query) => {
      if (table === 'retrieval_receipt') {
        const rows = await query<{ record_digest: Buffer; record: Buffer }>(RETRIEVALS, [tenantId, BATCH]);
        return rows.map(({ record_digest: key, record }) => dueRecord(key, record, openRetrieval));
      }
      const rows = await query<{ receipt_id: string; cose: Buffer }>(RECEIPTS, [tenantId, TENANT_STREAM, BATCH]);
      return rows.map(({ receipt_id: key, cose }) => dueRecord(key, cose, openReceipt));
    });
  }

  /**
   * A record that has no leaf, even once the log took what waited, leaves none behind. One that says another tenant got
   * into these rows past the application, and nothing is to account for its leaf.
   */
  private async announce(tenantId: string, due: readonly DueRecord[]): Promise<void> {
    await this.sequencer.integrate();
    const digests = due.filter((record) => record.tenantId === tenantId).map(({ digest }) => digest);
    const found = await this.crossTenant.run(REASON, (query) => new LogReader(query).findLeaves(digests));
    if (found.size === 0) return;
    await this.tenancy.run(tenantId, () =>
      this.evidence.record({
        kind: RECORDS_ERASED,
        actor: ERASURE.principal,
        authMode: ERASURE.authType,
        stream: TENANT_STREAM,
        subject: `tenant:${tenantId}`,
        body: { records: found.size, leaves: rangesOf([...found.values()]) },
      }),
    );
  }
}

function dueRecord(
  key: string | Buffer,
  record: Buffer,
  open: (record: Buffer) => { payload: { tenant_id: string } },
): DueRecord {
  const digest = blake3(record);
  try {
    return { key, digest, tenantId: open(record).payload.tenant_id };
  } catch {
    return { key, digest, tenantId: undefined };
  }
}

const RECEIPTS =
  'select receipt_id, cose from receipt where tenant_id = $1 and stream <> $2 order by receipt_id limit $3';
const RETRIEVALS =
  'select record_digest, record from retrieval_receipt where tenant_id = $1 order by record_digest limit $2';

/** As for other rows: one process at a time. */
const ERASE_RECORDS = `
  select case when pg_try_advisory_xact_lock(hashtextextended('svc erase ' || $1, 0))
    then svc_erase_records($1, $2::uuid[], $3::bytea[]) end as erased`;
