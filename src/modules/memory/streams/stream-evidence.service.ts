import { namedDigest } from '../../../evidence/digest.js';
import type { FaultSink, StoredReceipt, SubjectCheck } from '../../../common/evidence-log/evidence-look.types.js';
import { readBodies } from '../../../common/evidence-log/receipt-bodies.js';
import { namePart, namePartOf } from '../../../common/evidence-log/receipted-rows.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { MAX_EVENTS } from './streams.dto.js';
import { eventDigestOf, eventsDigestOf, payloadDigestOf } from './streams.rules.js';
import { STREAM_APPENDED, type StreamAppended } from './streams.types.js';

/** Payloads are read a few at a time: one may be large. */
const EVENTS_AT_ONCE = 64;

/** Events of streams against the receipts of their appends. */
export class StreamEvidence implements SubjectCheck {
  readonly name = 'events';
  readonly kinds = [STREAM_APPENDED];
  readonly rows = [
    {
      table: 'stream_event',
      receipts: `
        select tenant_id, receipt_id, ${namePart('stream_type')} || '/' || stream_id || '/' || seq as name from stream_event
        where ctid >= $1::tid and ctid < $2::tid`,
      spokenOf: eventsOf,
    },
  ];

  async check(query: Query, receipts: readonly StoredReceipt[], faultOf: (id: string) => FaultSink): Promise<void> {
    for (const { tenantId, receiptId, body } of readBodies(receipts)) {
      const appended = body as unknown as StreamAppended;
      const fault = await findFault(query, tenantId, receiptId, appended);
      if (fault === undefined) continue;
      const { stream_type, stream_id } = appended;
      faultOf(receiptId).add(
        `stream ${stream_type}/${stream_id} of tenant ${tenantId}, receipt ${receiptId}: ${fault}`,
      );
    }
  }
}

/** The names of the events that a receipt speaks of. */
function eventsOf(receipt: StoredReceipt): string[] | undefined {
  if (receipt.kind !== STREAM_APPENDED) return [];
  const [read] = readBodies([receipt]);
  if (!read) return undefined;
  const { stream_type, stream_id, first_seq, count } = read.body as unknown as StreamAppended;
  // What nobody signed may say anything; the check of the chains names it.
  const most = Math.min(count, MAX_EVENTS);
  return Array.from({ length: most }, (_, n) => `${namePartOf(stream_type)}/${stream_id}/${first_seq + n}`);
}

async function findFault(
  query: Query,
  tenantId: string,
  receiptId: string,
  { stream_type, stream_id, first_seq, count, events_digest }: StreamAppended,
): Promise<string | undefined> {
  const digests: Uint8Array[] = [];
  while (digests.length < count) {
    const seq = first_seq + digests.length;
    const most = Math.min(EVENTS_AT_ONCE, count - digests.length);
    const rows = await query<EventRow>(EVENTS, [tenantId, stream_type, stream_id, seq, most]);
    for (const [index, row] of rows.entries()) {
      if (Number(row.seq) !== seq + index) return `event ${seq + index} is gone`;
      if (row.receipt_id !== receiptId) return `event ${row.seq} names another receipt`;
      const digest = digestOf(row);
      if (!row.digest.equals(digest)) return `event ${row.seq} is not what its digest was made of`;
      digests.push(digest);
    }
    if (rows.length < most) return `event ${first_seq + digests.length} is gone`;
  }
  return eventsDigestOf(digests) === events_digest ? undefined : 'its events are not those that were appended';
}

const digestOf = (row: EventRow): Uint8Array =>
  eventDigestOf({
    v: 1,
    tenant_id: row.tenant_id,
    stream_type: row.stream_type,
    stream_id: row.stream_id,
    seq: Number(row.seq),
    event_id: row.event_id,
    type: row.type,
    occurred_at: row.occurred_at?.toISOString() ?? null,
    payload_digest: namedDigest('blake3', payloadDigestOf(row.salt, row.payload)),
  });

interface EventRow {
  tenant_id: string;
  stream_type: string;
  stream_id: string;
  seq: string;
  event_id: string | null;
  type: string;
  occurred_at: Date | null;
  salt: Buffer;
  payload: Buffer;
  digest: Buffer;
  receipt_id: string;
}

const EVENTS = `
  select tenant_id, stream_type, stream_id, seq, event_id, type, occurred_at, salt, payload, digest, receipt_id from stream_event
  where tenant_id = $1 and stream_type = $2 and stream_id = $3 and seq >= $4 order by seq limit $5`;
