import { describe, expect, it } from 'vitest';
import { type CborMap, encodeCanonical } from '../../../evidence/cbor.js';
import { blake3, blake3Digest } from '../../../evidence/digest.js';
import { SegmentConflict, SegmentGap, SegmentMalformed } from './replication.problems.js';
import { checkNext, readSegment } from './replication.rules.js';

const HEADER = {
  ...{ v: 1, tenant_id: 'acme', corpus_id: 'notes', segment_seq: 7, semantic_profile: 'lexical' },
  ...{ sealed_at: '2026-11-20T10:00:00.000Z', frame_count: 2 },
};
const frame = (ordinal: number, members: CborMap = {}): CborMap => ({
  ...{ ordinal, doc_id: `d${ordinal}`, version: 1, title: 'T', url: null, content_type: null, text: 'A text.' },
  content_hash: blake3Digest('A text.'),
  ...members,
});
const bytesOf = (...maps: CborMap[]): Buffer => Buffer.concat(maps.map((map) => encodeCanonical(map)));

describe('a segment that is sent', () => {
  const sound = bytesOf(HEADER, frame(0), frame(1));

  it('is read with its header and digest', () => {
    const { header, digest } = readSegment(sound);
    expect(header).toMatchObject({ tenant_id: 'acme', segment_seq: 7, frame_count: 2 });
    expect(digest.equals(blake3(sound))).toBe(true);
  });

  it.each<[string, Buffer]>([
    ['empty', Buffer.alloc(0)],
    ['cut', sound.subarray(0, -1)],
    ['followed by something', Buffer.concat([sound, Buffer.from([0])])],
    ['not canonical', Buffer.concat([Buffer.from([0xbf, 0xff]), sound])],
    ['without a frame', bytesOf(HEADER, frame(0))],
    ['with a frame too many', bytesOf(HEADER, frame(0), frame(1), frame(2))],
    ['out of order', bytesOf(HEADER, frame(1), frame(0))],
    ['of another version', bytesOf({ ...HEADER, v: 2 }, frame(0), frame(1))],
    ['numbered 0', bytesOf({ ...HEADER, segment_seq: 0 }, frame(0), frame(1))],
    ['without a time', bytesOf({ ...HEADER, sealed_at: '2026-13-20T10:00:00.000Z' }, frame(0), frame(1))],
    ['with another text', bytesOf(HEADER, frame(0, { text: 'B' }), frame(1))],
    ['with a member more', bytesOf(HEADER, frame(0, { more: 1 }), frame(1))],
  ])('is refused when it is %s', (_what, bytes) => {
    expect(() => readSegment(bytes)).toThrow(SegmentMalformed);
  });
});

describe('the order of segments', () => {
  const digest = Buffer.from(blake3(Buffer.from('6')));
  const last = { segmentSeq: 6, digest };
  const at = (segmentSeq: number, previous: string | null, erasedFrom?: number) => ({
    ...{ segmentSeq, previous, erasedFrom },
  });
  const named = `blake3:${digest.toString('hex')}`;

  it('begins with the first, and goes on from the last', () => {
    expect(() => checkNext(at(1, null), undefined)).not.toThrow();
    expect(() => checkNext(at(7, named), last)).not.toThrow();
  });

  it('goes on behind segments that are erased where they were sealed, and only where all between are', () => {
    expect(() => checkNext(at(9, blake3Digest('8'), 7), last)).not.toThrow();
    expect(() => checkNext(at(9, blake3Digest('8'), 5), last)).not.toThrow();
    expect(() => checkNext(at(9, blake3Digest('8'), 8), last)).toThrow(SegmentGap);
    expect(() => checkNext(at(7, blake3Digest('x'), 5), last)).toThrow(SegmentConflict);
    expect(() => checkNext(at(3, blake3Digest('2'), 1), undefined)).not.toThrow();
  });

  it('has no gaps and no forks', () => {
    expect(() => checkNext(at(2, named), undefined)).toThrow(SegmentGap);
    expect(() => checkNext(at(8, named), last)).toThrow(SegmentGap);
    expect(() => checkNext(at(7, null), last)).toThrow(SegmentConflict);
    expect(() => checkNext(at(7, blake3Digest('x')), last)).toThrow(SegmentConflict);
    expect(() => checkNext(at(1, named), undefined)).toThrow(SegmentConflict);
  });
});
