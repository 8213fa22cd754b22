import { Injectable } from '@nestjs/common';
import { decodeCanonical } from '../../../evidence/cbor.js';
import { namedDigest } from '../../../evidence/digest.js';
import { payloadDigestOf } from './streams.rules.js';
import { StreamsStore, type StreamEventRow } from './streams.store.js';
import type { StreamEvent, StreamName, StreamPage, StreamRange } from './streams.types.js';

/** Reads the streams of the open unit of work's tenant, for other modules. */
@Injectable()
export class StreamsService {
  constructor(private readonly store: StreamsStore) {}

  /** @returns undefined where nothing was ever appended to a stream of that name */
  async find(stream: StreamName, range: StreamRange): Promise<StreamPage | undefined> {
    const nextSeq = await this.store.findHead(stream);
    if (nextSeq === undefined) return undefined;
    const rows = await this.store.listEvents(stream, range);
    return { nextSeq, events: rows.map(toEvent) };
  }
}

function toEvent(row: StreamEventRow): StreamEvent {
  return {
    seq: Number(row.seq),
    eventId: row.event_id,
    type: row.type,
    occurredAt: row.occurred_at?.toISOString() ?? null,
    recordedAt: row.recorded_at.toISOString(),
    payload: decodeCanonical(row.payload),
    salt: row.salt,
    payloadDigest: namedDigest('blake3', payloadDigestOf(row.salt, row.payload)),
    digest: namedDigest('blake3', row.digest),
    receiptId: row.receipt_id,
  };
}
