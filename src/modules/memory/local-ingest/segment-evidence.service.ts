import { namedDigest } from '../../../evidence/digest.js';
import type { FaultSink, StoredReceipt, SubjectCheck } from '../../../common/evidence-log/evidence-look.types.js';
import { readBodies } from '../../../common/evidence-log/receipt-bodies.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';

/**
 * Sealed segments against the receipts `local.ingested`: there is one for each, without a gap, under the digest that
 * was sealed. Whether the bytes still make that digest is what SegmentCheck looks at.
 */
export class SegmentEvidence implements SubjectCheck {
  readonly name = 'segments';
  readonly kinds = ['local.ingested'];
  readonly rows = [
    {
      table: 'sealed_segment',
      receipts: `
        select tenant_id, receipt_id, segment_seq::text as name from sealed_segment where ctid >= $1::tid and ctid < $2::tid`,
      spokenOf: (receipt: StoredReceipt) =>
        receipt.kind === 'local.ingested' ? readBodies([receipt]).map(({ body }) => `${Number(body.segment_seq)}`) : [],
    },
  ];

  async check(query: Query, receipts: readonly StoredReceipt[], faultOf: (id: string) => FaultSink): Promise<void> {
    const read = readBodies(receipts);
    const rows = await query<SegmentRow>(SEGMENTS, [
      read.map(({ tenantId }) => tenantId),
      read.map(({ body }) => body.segment_seq),
    ]);
    const segments = new Map(rows.map((row) => [`${row.segment_seq}/${row.tenant_id}`, row]));
    for (const { tenantId, receiptId, body } of read) {
      const row = segments.get(`${Number(body.segment_seq)}/${tenantId}`);
      const isSealed = row?.receipt_id === receiptId && namedDigest('blake3', row.digest) === body.segment_digest;
      if (isSealed) continue;
      const fault = row ? 'is not the one that was sealed' : 'is gone';
      faultOf(receiptId).add(
        `segment ${Number(body.segment_seq)} of tenant ${tenantId}, receipt ${receiptId}: ${fault}`,
      );
    }
  }
}

interface SegmentRow {
  tenant_id: string;
  segment_seq: string;
  digest: Buffer;
  receipt_id: string;
}

const SEGMENTS = `
  select s.tenant_id, s.segment_seq, s.digest, s.receipt_id
  from unnest($1::text[], $2::bigint[]) n (tenant_id, segment_seq) join sealed_segment s using (tenant_id, segment_seq)`;
