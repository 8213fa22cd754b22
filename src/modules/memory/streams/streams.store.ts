import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { PreparedEvent } from './append.rules.js';
import type { StreamName, StreamRange } from './streams.types.js';

export interface StreamEventRow {
  seq: string;
  event_id: string | null;
  type: string;
  occurred_at: Date | null;
  recorded_at: Date;
  salt: Buffer;
  payload: Buffer;
  digest: Buffer;
  receipt_id: string;
}

/** An event that is to be written. */
export interface NewEvent extends PreparedEvent {
  readonly seq: number;
  readonly digest: Uint8Array;
}

export interface KnownEventRow {
  event_id: string;
  seq: string;
  type: string;
  occurred_at: Date | null;
  salt: Buffer;
  digest: Buffer;
  receipt_id: string;
}

/** A statement takes this many bytes of payloads, unless a single one is larger. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** A page stops before its payloads exceed this, but has one event at least. */
const PAGE_BYTES = 8 * 1024 * 1024;

/** The rows of streams. */
@Injectable()
export class StreamsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** The seq that the next event gets; undefined where nothing was ever appended. */
  async findHead({ streamType, streamId }: StreamName): Promise<number | undefined> {
    const [row] = await this.tenancy.query<{ next_seq: string }>(
      'select next_seq from stream_head where stream_type = $1 and stream_id = $2',
      [streamType, streamId],
    );
    return row && Number(row.next_seq);
  }

  /**
   * Makes the head of a stream that is new; locks it until the unit of work ends.
   * @returns the seq that the next event gets
   */
  async lockHead({ streamType, streamId }: StreamName): Promise<number> {
    const [row] = await this.tenancy.query<{ next_seq: string }>(
      `insert into stream_head as h (tenant_id, stream_type, stream_id) values ($1, $2, $3)
       on conflict (tenant_id, stream_type, stream_id) do update set next_seq = h.next_seq returning next_seq`,
      [this.tenancy.tenant, streamType, streamId],
    );
    return Number(row!.next_seq);
  }

  async moveHead({ streamType, streamId }: StreamName, nextSeq: number): Promise<void> {
    await this.tenancy.query(
      'update stream_head set next_seq = $3, updated_at = now() where stream_type = $1 and stream_id = $2',
      [streamType, streamId, nextSeq],
    );
  }

  /** Those of the event_ids that the stream has, without their payloads. */
  async findKnown({ streamType, streamId }: StreamName, eventIds: readonly string[]): Promise<KnownEventRow[]> {
    if (eventIds.length === 0) return [];
    return this.tenancy.query<KnownEventRow>(
      `select event_id, seq, type, occurred_at, salt, digest, receipt_id from stream_event
       where stream_type = $1 and stream_id = $2 and event_id = any($3)`,
      [streamType, streamId, eventIds],
    );
  }

  /**
   * Writes events, a few megabytes a statement. Their bytes go as one binary value each time, which the statement cuts
   * up.
   */
  async recordEvents(stream: StreamName, events: readonly NewEvent[], receiptId: string): Promise<void> {
    let batch: NewEvent[] = [];
    let bytes = 0;
    for (const event of events) {
      if (batch.length > 0 && bytes + event.payload.length > BATCH_BYTES) {
        await this.recordBatch(stream, batch, receiptId);
        batch = [];
        bytes = 0;
      }
      batch.push(event);
      bytes += event.payload.length;
    }
    await this.recordBatch(stream, batch, receiptId);
  }

  private async recordBatch({ streamType, streamId }: StreamName, events: NewEvent[], receiptId: string) {
    const payloads = Buffer.concat(events.map(({ payload }) => payload));
    let end = 0;
    const starts = events.map(({ payload }) => (end += payload.length) - payload.length + 1);
    await this.tenancy.query(
      `insert into stream_event (tenant_id, stream_type, stream_id, seq, event_id, type, occurred_at, salt, payload, digest, receipt_id)
       select $1, $2, $3, e.seq, e.event_id, e.type, e.occurred_at, substring($4::bytea from (e.place::int - 1) * 16 + 1 for 16),
         substring($5::bytea from e.start for e.size), substring($6::bytea from (e.place::int - 1) * 32 + 1 for 32), $7
       from unnest($8::bigint[], $9::text[], $10::text[], $11::timestamptz[], $12::int[], $13::int[])
         with ordinality e (seq, event_id, type, occurred_at, start, size, place)`,
      [
        this.tenancy.tenant,
        streamType,
        streamId,
        Buffer.concat(events.map(({ salt }) => salt)),
        payloads,
        Buffer.concat(events.map(({ digest }) => digest)),
        receiptId,
        events.map(({ seq }) => seq),
        events.map(({ eventId }) => eventId),
        events.map(({ type }) => type),
        events.map(({ occurredAt }) => occurredAt),
        starts,
        events.map(({ payload }) => payload.length),
      ],
    );
  }

  listEvents({ streamType, streamId }: StreamName, { fromSeq, toSeq, max }: StreamRange): Promise<StreamEventRow[]> {
    return this.tenancy.query<StreamEventRow>(
      `select seq, event_id, type, occurred_at, recorded_at, salt, payload, digest, receipt_id from (
         select e.*, sum(octet_length(e.payload)) over (order by e.seq) as bytes from stream_event e
         where e.stream_type = $1 and e.stream_id = $2 and e.seq >= $3 and ($4::bigint is null or e.seq <= $4) order by e.seq limit $5
       ) page where bytes <= $6 or seq = $3 order by seq`,
      [streamType, streamId, fromSeq, toSeq ?? null, max, PAGE_BYTES],
    );
  }
}
