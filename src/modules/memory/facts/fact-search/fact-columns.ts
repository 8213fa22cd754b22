import { ByteReader, ByteWriter } from '../../../../search/bytes.js';
import { SegmentCorrupted } from '../../../../search/segment.js';
import { HORIZON_CLASSES } from '../facts.types.js';

const FORMAT_VERSION = 1;
const FLOAT_BYTES = 4;
const WORD = 2 ** 32;

/** What a segment of facts holds in addition to what the engine packs, by the ordinals of its facts. */
export interface FactColumns {
  /** Bytes of each term's packed postings, in the order of the terms. */
  postingSizes: readonly number[];
  /** The owners that occur; '' for public facts. */
  owners: readonly string[];
  /** Index into `owners` by ordinal. */
  ownerOf: Uint32Array;
  confidence: Float32Array;
  /** Index into HORIZON_CLASSES by ordinal. */
  horizonOf: Uint8Array;
  /** Seqs of facts in other segments that facts of this one superseded, or that were deleted. */
  retires: readonly number[];
}

/**
 * version, then counted lists of: posting sizes; owners; per fact its confidence (binary32, little endian), horizon and
 * owner; retired seqs (high word, low word). Integers are LEB128 varints.
 */
export function packColumns({
  postingSizes,
  owners,
  ownerOf,
  confidence,
  horizonOf,
  retires,
}: FactColumns): Uint8Array {
  const writer = new ByteWriter(64 + postingSizes.length * 2 + confidence.length * 7 + retires.length * 6);
  writer.varint(FORMAT_VERSION);
  writer.varint(postingSizes.length);
  for (const size of postingSizes) writer.varint(size);
  writer.varint(owners.length);
  for (const owner of owners) writer.text(owner);
  writer.varint(confidence.length);
  const float = Buffer.alloc(FLOAT_BYTES);
  for (let i = 0; i < confidence.length; i++) {
    float.writeFloatLE(confidence[i]!);
    writer.bytes(float);
    writer.varint(horizonOf[i]!);
    writer.varint(ownerOf[i]!);
  }
  writer.varint(retires.length);
  for (const seq of retires) {
    writer.varint(Math.floor(seq / WORD));
    writer.varint(seq % WORD);
  }
  return writer.finish();
}

/** @throws SegmentCorrupted when the bytes are not such columns */
export function unpackColumns(bytes: Uint8Array): FactColumns {
  try {
    return read(new ByteReader(bytes));
  } catch (error) {
    if (error instanceof RangeError) throw new SegmentCorrupted(error.message);
    throw error;
  }
}

function read(reader: ByteReader): FactColumns {
  if (reader.varint() !== FORMAT_VERSION) throw new SegmentCorrupted('unknown format of fact columns');
  const postingSizes = Array.from({ length: reader.varint() }, () => reader.varint());
  const owners = Array.from({ length: reader.varint() }, () => reader.text());
  const facts = reader.varint();
  const confidence = new Float32Array(facts);
  const horizonOf = new Uint8Array(facts);
  const ownerOf = new Uint32Array(facts);
  for (let i = 0; i < facts; i++) {
    const float = reader.bytes(FLOAT_BYTES);
    confidence[i] = Buffer.from(float.buffer, float.byteOffset, FLOAT_BYTES).readFloatLE();
    horizonOf[i] = reader.varint();
    ownerOf[i] = reader.varint();
    if (horizonOf[i]! >= HORIZON_CLASSES.length || ownerOf[i]! >= owners.length)
      throw new SegmentCorrupted('fact columns name what is not there');
  }
  const retires = Array.from({ length: reader.varint() }, () => reader.varint() * WORD + reader.varint());
  if (!reader.done) throw new SegmentCorrupted('fact columns do not end where they should');
  return { postingSizes, owners, ownerOf, confidence, horizonOf, retires };
}
