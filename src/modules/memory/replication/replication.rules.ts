import { type CborMap, decodeCanonicalMaps } from '../../../evidence/cbor.js';
import { blake3, blake3Digest, namedDigest } from '../../../evidence/digest.js';
import { isInstant } from '../../../evidence/shape.js';
import { SegmentConflict, SegmentGap, SegmentMalformed } from './replication.problems.js';
import type { Kept, ReadSegment, SegmentHead } from './replication.types.js';

const HEADER = ['corpus_id', 'frame_count', 'sealed_at', 'segment_seq', 'semantic_profile', 'tenant_id', 'v'];
const FRAME = ['content_hash', 'content_type', 'doc_id', 'ordinal', 'text', 'title', 'url', 'version'];

/**
 * Reads a segment and holds it against its own words: header, number and order of the frames, hash of each text
 * (docs/formats/segments.md).
 * @throws SegmentMalformed
 */
export function readSegment(frames: Buffer): ReadSegment {
  const [header, ...rest] = mapsOf(frames);
  if (!isHeader(header)) throw new SegmentMalformed({}, 'The first item is no header of a segment of version 1');
  if (rest.length !== header.frame_count)
    throw new SegmentMalformed({}, `The header says ${header.frame_count} frames; there are ${rest.length}`);
  rest.forEach((frame, ordinal) => {
    const fault = faultOf(frame, ordinal);
    if (fault) throw new SegmentMalformed({}, `Frame ${ordinal} ${fault}`);
  });
  return { header, frames, digest: Buffer.from(blake3(frames)) };
}

export interface SentPlace {
  readonly segmentSeq: number;
  /** The digest that the sender says the one before has; null of the first. */
  readonly previous: string | null;
  /** From which number on, up to the one before, the sender says that segments are erased. */
  readonly erasedFrom: number | undefined;
}

/**
 * Checks that a segment is the next of its node, or the next that is not erased there.
 * @throws SegmentGap, SegmentConflict
 */
export function checkNext({ segmentSeq: seq, previous, erasedFrom }: SentPlace, last: Kept | undefined): void {
  const expected = (last?.segmentSeq ?? 0) + 1;
  if (seq > expected && erasedFrom !== undefined && erasedFrom <= expected) return;
  if (seq > expected)
    throw new SegmentGap({ expected_seq: expected, segment_seq: seq }, `Send segment ${expected} of this node first`);
  const kept = last ? namedDigest('blake3', last.digest) : null;
  if (previous !== kept)
    throw new SegmentConflict(
      { segment_seq: seq, kept_digest: kept },
      'previous_digest is not that of the last segment that is kept of this node: its segments were made again, or it is another node of the same name',
    );
}

function mapsOf(bytes: Uint8Array): CborMap[] {
  try {
    return decodeCanonicalMaps(bytes);
  } catch (error) {
    throw new SegmentMalformed({}, `It is no sequence of canonical CBOR maps: ${(error as Error).message}`);
  }
}

const hasMembers = (map: CborMap, names: readonly string[]): boolean => Object.keys(map).sort().join() === names.join();
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '' && !value.includes('\0');
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1;

function isHeader(map: CborMap | undefined): map is CborMap & SegmentHead {
  if (!map || !hasMembers(map, HEADER) || map['v'] !== 1) return false;
  const { tenant_id, corpus_id, semantic_profile, segment_seq, frame_count, sealed_at } = map;
  const isNamed = [tenant_id, corpus_id, semantic_profile].every(isText);
  return isNamed && isInstant(sealed_at) && isCount(segment_seq) && isCount(frame_count);
}

function faultOf(frame: CborMap, ordinal: number): string | undefined {
  if (!hasMembers(frame, FRAME)) return 'does not have the members of a frame';
  if (frame['ordinal'] !== ordinal) return 'is not in its place';
  const { text, content_hash: hash } = frame;
  if (typeof text !== 'string' || hash !== blake3Digest(text)) return 'does not have the content_hash of its text';
  return undefined;
}
