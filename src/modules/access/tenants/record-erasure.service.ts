import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { ErasureList } from '../../../common/erasures/erasure-list.js';
import type { Actor } from '../../../common/evidence-log/audit-trail.js';
import { keysById } from '../../../common/evidence-log/evidence-look.js';
import { EvidenceService } from '../../../common/evidence-log/evidence.service.js';
import { KnownKeys } from '../../../common/evidence-log/known-keys.js';
import { rangesOf } from '../../../common/evidence-log/leaf-marks.js';
import { LogReader } from '../../../common/evidence-log/log-reader.js';
import { LogSequencer } from '../../../common/evidence-log/log-sequencer.js';
import { digestsNamedBy, ERASURE_STREAM, RECORDS_ERASED } from '../../../common/evidence-log/removed-records.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TENANT_STREAM } from '../../../common/tenancy/tenant-state.js';
import { parseCheckpoint } from '../../../evidence/checkpoint.js';
import { blake3 } from '../../../evidence/digest.js';
import { openReceipt, openRetrieval } from '../../../evidence/receipt.js';

export const ERASURE: Actor = { principal: 'svc:erasure', authType: 'system' };
const REASON = 'tenant erasure';
/** Records that one transaction erases, and leaves that one receipt announces. */
const BATCH = 1_000;

const RECORD_TABLES = ['receipt', 'retrieval_receipt'] as const;
type RecordTable = (typeof RECORD_TABLES)[number];
export const isRecordTable = (table: string): table is RecordTable => RECORD_TABLES.includes(table as RecordTable);

interface DueRecord {
  readonly key: string | Buffer;
  readonly bytes: Buffer;
  /** As the record itself says; undefined of one that cannot be read. */
  readonly tenantId: string | undefined;
}

/**
 * Erases the receipts and retrieval receipts of a tenant. Their leaves stay in the log without a record, as those of
 * records that somebody removed would; so a receipt in the chain that outlasts the tenant names the leaves before
 * their records go (docs/decisions/0146).
 */
@Injectable()
export class RecordErasureService {
  private readonly list: ErasureList;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly crossTenant: CrossTenant,
    private readonly evidence: EvidenceService,
    private readonly sequencer: LogSequencer,
    private readonly keys: KnownKeys,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.list = new ErasureList(settings);
  }

  /**
   * Before any row goes: what erasures of subjects removed, and no receipt names yet, as after a restore. The rows that
   * say so go with the tenant. They count for nothing where the list does not have the erasure (docs/decisions/0402).
   */
  async announceRemoved(tenantId: string): Promise<void> {
    const waiting = await this.crossTenant.run(REASON, (query) =>
      query<{ record_digest: Buffer; erasure_id: string }>(UNANNOUNCED, [tenantId, ERASURE_STREAM]),
    );
    if (waiting.length === 0) return;
    const listed = this.list.read().subjects.filter((kept) => kept.tenant_id === tenantId);
    const rows = waiting.filter(({ erasure_id }) => listed.some((kept) => kept.erasure_id === erasure_id));
    await this.announce(
      tenantId,
      rows.map(({ record_digest }) => record_digest),
    );
  }

  /**
   * One batch of one table. What a process that died had announced is announced again: naming a leaf twice does no
   * harm.
   * @returns how many went; null while another process is at it
   */
  async eraseSome(tenantId: string, table: RecordTable): Promise<number | null> {
    const due = await this.findDue(tenantId, table);
    if (due.length === 0) return 0;
    await this.announce(tenantId, await this.digestsToName(tenantId, due));
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
   * Of the records themselves, and what those of them name that say what erasures of subjects removed. A record that
   * says another tenant got into these rows past the application, and nothing is to account for its leaf.
   */
  private async digestsToName(tenantId: string, due: readonly DueRecord[]): Promise<Uint8Array[]> {
    const known = await this.crossTenant.run(REASON, (query) => keysById(query, this.keys));
    return due
      .filter((record) => record.tenantId === undefined || record.tenantId === tenantId)
      .flatMap(({ bytes }) => [blake3(bytes), ...digestsNamedBy({ tenant_id: tenantId, cose: bytes }, known)]);
  }

  /** A record that has no leaf, even once the log took what waited, leaves none behind. */
  private async announce(tenantId: string, digests: readonly Uint8Array[]): Promise<void> {
    if (digests.length === 0) return;
    await this.sequencer.integrate();
    for (let start = 0; start < digests.length; start += BATCH)
      await this.announceSome(tenantId, digests.slice(start, start + BATCH));
  }

  private async announceSome(tenantId: string, digests: readonly Uint8Array[]): Promise<void> {
    const { head, found } = await this.crossTenant.run(REASON, async (query) => {
      const log = new LogReader(query);
      return { head: await log.findHead(), found: await log.findLeaves(digests) };
    });
    if (found.size === 0) return;
    const { origin } = parseCheckpoint(head!.checkpoint);
    await this.tenancy.run(tenantId, () =>
      this.evidence.record({
        kind: RECORDS_ERASED,
        actor: ERASURE.principal,
        authMode: ERASURE.authType,
        stream: TENANT_STREAM,
        subject: `tenant:${tenantId}`,
        body: { records: found.size, leaves: rangesOf([...found.values()]), origin },
      }),
    );
  }
}

function dueRecord(
  key: string | Buffer,
  bytes: Buffer,
  open: (record: Buffer) => { payload: { tenant_id: string } },
): DueRecord {
  try {
    return { key, bytes, tenantId: open(bytes).payload.tenant_id };
  } catch {
    return { key, bytes, tenantId: undefined };
  }
}

const UNANNOUNCED = `
  select record_digest, erasure_id from erased_receipt e where tenant_id = $1 and announced_by is null and not exists (
    select from receipt r where r.tenant_id = e.tenant_id and r.stream = $2 and r.subject = e.erasure_id::text)
  order by record_digest`;
const RECEIPTS =
  'select receipt_id, cose from receipt where tenant_id = $1 and stream <> $2 order by receipt_id limit $3';
const RETRIEVALS =
  'select record_digest, record from retrieval_receipt where tenant_id = $1 order by record_digest limit $2';

/** As for other rows: one process at a time. */
const ERASE_RECORDS = `
  select case when pg_try_advisory_xact_lock(hashtextextended('svc erase ' || $1, 0))
    then svc_erase_records($1, $2::uuid[], $3::bytea[]) end as erased`;
