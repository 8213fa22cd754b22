import type { CborValue } from '../../../evidence/cbor.js';
import type { Digest } from '../../../evidence/digest.js';

/** What names a stream within its tenant. */
export interface StreamName {
  readonly streamType: string;
  readonly streamId: string;
}

/** Which events to read, both ends included. */
export interface StreamRange {
  readonly fromSeq: number;
  /** Absent: to the end. */
  readonly toSeq?: number;
  /** At most so many events; fewer come where their payloads are large. */
  readonly max: number;
}

/** An event as it is kept. */
export interface StreamEvent {
  /** From 0, without gaps. */
  readonly seq: number;
  readonly eventId: string | null;
  readonly type: string;
  /** RFC 3339, UTC, milliseconds: as the writer sent it. */
  readonly occurredAt: string | null;
  /** When it was appended, in the same form. No digest covers it: the receipt's occurred_at does. */
  readonly recordedAt: string;
  readonly payload: CborValue;
  /** 16 random bytes. Without them a short payload cannot be found out by its digest. */
  readonly salt: Uint8Array;
  /**
   * BLAKE3 of the salt and, after it, the canonical CBOR of the payload. What stands for a payload that is redacted.
   */
  readonly payloadDigest: Digest;
  /** BLAKE3 of the canonical CBOR of {@link EventCore}. */
  readonly digest: Digest;
  /** The receipt of the append that brought it. */
  readonly receiptId: string;
}

/** What the digest of an event covers: exactly these members. Wire names, as docs/formats/segments.md has them. */
export interface EventCore {
  readonly v: 1;
  readonly tenant_id: string;
  readonly stream_type: string;
  readonly stream_id: string;
  readonly seq: number;
  readonly event_id: string | null;
  readonly type: string;
  readonly occurred_at: string | null;
  readonly payload_digest: Digest;
}

/**
 * The kind of the receipts of appends. Their evidence stream is {@link evidenceStreamOf}, their subject `<type>/<id>`.
 */
export const STREAM_APPENDED = 'stream.appended';

/**
 * The body of such a receipt. The first event's seq is first_seq, the last one's first_seq + count - 1; each receipt of
 * a stream goes on where the one before ended.
 */
export interface StreamAppended {
  readonly stream_type: string;
  readonly stream_id: string;
  readonly first_seq: number;
  readonly count: number;
  /** BLAKE3 of the 32-byte digests of the events, one after another in the order of seq. */
  readonly events_digest: Digest;
}

export interface StreamPage {
  /** The seq that the next event of the stream will get; 0 where there is none yet. */
  readonly nextSeq: number;
  /**
   * In the order of seq. Shorter than what was asked for where payloads are large: go on from the last one's seq + 1.
   */
  readonly events: readonly StreamEvent[];
}

/**
 * The chain of receipts that a stream has to itself. A stream's type holds no slash, so that no two streams share one.
 */
export const evidenceStreamOf = ({ streamType, streamId }: StreamName): string => `stream:${streamType}/${streamId}`;
