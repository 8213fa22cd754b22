import { Injectable } from '@nestjs/common';
import { EvidenceService } from '../../../common/evidence-log/evidence.service.js';
import { ERASURE_STREAM, SUBJECT_RECORDS_ERASED } from '../../../common/evidence-log/removed-records.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { namedDigest } from '../../../evidence/digest.js';
import { DOCUMENTS_ERASED } from '../../knowledge/ingest/ingest.events.js';
import { FACTS_ERASED } from '../../memory/facts/fact-batches.service.js';

/** Records, or leaves, that one receipt names. */
const BATCH = 500;

/**
 * The receipts that name what an erasure took out of the evidence: records by the digests that the log knows them by,
 * which hold a signature and so cannot be guessed, and facts and documents by the place of their leaf. Without them the
 * look at all evidence would find them missing.
 */
@Injectable()
export class ErasureAnnouncements {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly evidence: EvidenceService,
  ) {}

  /**
   * Before an erasure removes anything: whoever can write rows could name records by its id beforehand, and have it
   * account for them.
   * @throws Error where rows of it stand there already
   */
  async expectNone(erasureId: string): Promise<void> {
    if ((await this.tenancy.query(NAMED, [this.tenancy.tenant, erasureId])).length > 0)
      throw new Error(`records are said to be erased by ${erasureId}, which has removed none yet`);
  }

  /** Whether a receipt says already what this erasure removed: no more can be of it. */
  async isSaid(erasureId: string): Promise<boolean> {
    return (await this.tenancy.query(SAID, [this.tenancy.tenant, ERASURE_STREAM, erasureId])).length > 0;
  }

  /** All of one erasure that wait, in the open unit of work. */
  async announce(erasureId: string, actor: string, authMode: string): Promise<void> {
    const by = { erasureId, actor, authMode, stream: ERASURE_STREAM };
    while (await this.announceRecords(by));
    for (const leaves of LEAVES) while (await this.announceLeaves(by, leaves));
  }

  private async announceRecords({ erasureId, ...by }: Signer): Promise<boolean> {
    const rows = await this.tenancy.query<{ record_digest: Buffer }>(WAITING_RECORDS, [
      this.tenancy.tenant,
      erasureId,
      BATCH,
    ]);
    if (rows.length === 0) return false;
    const digests = rows.map(({ record_digest }) => record_digest);
    const body = {
      erasure_id: erasureId,
      records: digests.length,
      digests: digests.map((digest) => namedDigest('blake3', digest)),
    };
    const { receiptId } = await this.evidence.record({ ...by, kind: SUBJECT_RECORDS_ERASED, subject: erasureId, body });
    await this.tenancy.query(
      'update erased_receipt set announced_by = $3 where tenant_id = $1 and record_digest = any($2::bytea[])',
      [this.tenancy.tenant, digests, receiptId],
    );
    return true;
  }

  private async announceLeaves(
    { erasureId, ...by }: Signer,
    { kind, name, table }: (typeof LEAVES)[number],
  ): Promise<boolean> {
    const own = await this.tenancy.query<ErasedLeaf>(waitingLeaves(table), [this.tenancy.tenant, erasureId, BATCH]);
    if (own.length === 0) return false;
    const batches = Map.groupBy(own, ({ receipt_id }) => receipt_id);
    const body = {
      erasure_id: erasureId,
      [name]: own.length,
      batches: [...batches].map(([receipt_id, leaves]) => ({
        receipt_id,
        leaves: leaves.map(({ leaf_index }) => leaf_index),
      })),
    };
    const { receiptId } = await this.evidence.record({ ...by, kind, subject: erasureId, body });
    await this.tenancy.query(
      `update ${table} e set announced_by = $4 from unnest($2::uuid[], $3::int[]) u (receipt_id, leaf_index)
       where e.tenant_id = $1 and e.receipt_id = u.receipt_id and e.leaf_index = u.leaf_index`,
      [
        this.tenancy.tenant,
        own.map(({ receipt_id }) => receipt_id),
        own.map(({ leaf_index }) => leaf_index),
        receiptId,
      ],
    );
    return true;
  }
}

/** Leaves of batches, by what they are of. */
const LEAVES = [
  { kind: FACTS_ERASED, name: 'facts', table: 'erased_fact' },
  { kind: DOCUMENTS_ERASED, name: 'documents', table: 'erased_document' },
] as const;

interface Signer {
  erasureId: string;
  actor: string;
  authMode: string;
  stream: string;
}
interface ErasedLeaf {
  receipt_id: string;
  leaf_index: number;
}

const WAITING_RECORDS = `
  select record_digest from erased_receipt where tenant_id = $1 and erasure_id = $2 and announced_by is null
  order by record_digest limit $3`;
const waitingLeaves = (table: string) => `
  select receipt_id, leaf_index from ${table} where tenant_id = $1 and erasure_id = $2 and announced_by is null
  order by receipt_id, leaf_index limit $3`;
const NAMED = `
  select from erased_receipt where tenant_id = $1 and erasure_id = $2
  union all select from erased_fact where tenant_id = $1 and erasure_id = $2
  union all select from erased_document where tenant_id = $1 and erasure_id = $2 limit 1`;
const SAID = 'select from receipt where tenant_id = $1 and stream = $2 and subject = $3 limit 1';
