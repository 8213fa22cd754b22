import { encodeCanonical, isCborMap } from '../../../evidence/cbor.js';
import { blake3, namedDigest, type Digest } from '../../../evidence/digest.js';
import { openReceipt } from '../../../evidence/receipt.js';

/** A segment as it is kept, with its receipt; null where that is gone. */
export interface KeptSegment {
  frames: Buffer;
  digest: Buffer;
  receipt: Buffer | null;
}

/**
 * Whether the bytes have the digest they were sealed with, and the receipt says so. The receipt's own signature is the
 * evidence audit's to check.
 */
export function isIntact({ frames, digest, receipt }: KeptSegment): boolean {
  if (receipt === null || !digest.equals(blake3(frames))) return false;
  return digestInReceipt(receipt) === namedDigest('blake3', digest);
}

function digestInReceipt(cose: Uint8Array): unknown {
  try {
    const { body } = openReceipt(cose).payload;
    return isCborMap(body) ? body.segment_digest : undefined;
  } catch {
    // A receipt that cannot be read says nothing.
    return undefined;
  }
}

/** What a segment says of itself before its frames. */
export interface SegmentHeader {
  readonly tenant_id: string;
  readonly corpus_id: string;
  readonly segment_seq: number;
  readonly semantic_profile: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly sealed_at: string;
}

/** A document as a segment holds it. */
export interface SegmentFrame {
  readonly doc_id: string;
  readonly version: number;
  readonly title: string;
  readonly url: string | null;
  readonly content_type: string | null;
  readonly text: string;
  readonly content_hash: Digest;
}

/**
 * The bytes of a segment, docs/formats/segments.md: a CBOR sequence (RFC 8742) of its header and its frames, each
 * canonical.
 */
export function encodeSegment(header: SegmentHeader, frames: readonly SegmentFrame[]): Uint8Array {
  return Buffer.concat([
    encodeCanonical({ v: 1, ...header, frame_count: frames.length }),
    ...frames.map((frame, ordinal) => encodeCanonical({ ordinal, ...frame })),
  ]);
}
