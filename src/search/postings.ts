import { MAX_FREQUENCY } from './bm25.js';
import { ByteReader, type ByteWriter } from './bytes.js';

/** Postings to a block of {@link PostingList}: the grain at which scores are bounded. */
export const BLOCK_SHIFT = 7;
const BLOCK_SIZE = 1 << BLOCK_SHIFT;
/** What V8 takes for a typed array beyond its elements, measured. Most lists are short: it is the most of them. */
const ARRAY_BYTES = 230;
const NO_BOUNDS = new Float64Array(0);

/**
 * Packs postings: their count, then for each the gap to the previous ordinal, shifted left by one; the low bit says
 * that the frequency is 1, otherwise the frequency follows. All are LEB128 varints. Ordinals ascend strictly.
 */
export function writePostings(writer: ByteWriter, ordinals: ArrayLike<number>, frequencies: ArrayLike<number>): void {
  writer.varint(ordinals.length);
  let previous = -1;
  for (let i = 0; i < ordinals.length; i++) {
    const ordinal = ordinals[i]!;
    const frequency = Math.min(frequencies[i]!, MAX_FREQUENCY);
    const gap = ordinal - previous - 1;
    writer.varint((gap << 1) | (frequency === 1 ? 1 : 0));
    if (frequency !== 1) writer.varint(frequency);
    previous = ordinal;
  }
}

/** Which chunks of a segment are withdrawn: one byte a chunk, and what they take from the statistics. */
export interface Tombstones {
  readonly dead: Uint8Array;
  readonly count: number;
  /** Terms in the withdrawn chunks. */
  readonly length: number;
}

/**
 * One term's postings in one segment, unpacked. Per block of 128 it keeps the impacts that could be the block's best
 * under some average length: (frequency, length) pairs of which none is at once rarer and longer than another (Ding and
 * Suel 2011; the pairs as in Lucene's impacts). Unlike a stored maximum they hold whatever the collection's statistics
 * become.
 */
export class PostingList {
  /** Made when they are first needed: a merge never does. */
  private impacts: Uint32Array | undefined;
  private bounds = NO_BOUNDS;
  private boundsNorms: Float64Array | undefined;
  private listBound = 0;
  private countedFor: Tombstones | undefined;
  private counted = 0;

  private constructor(
    readonly ordinals: Uint32Array,
    readonly frequencies: Uint16Array,
    private readonly lengths: Uint16Array,
  ) {}

  /** Unpacks a row. @throws RangeError when the bytes are not a posting list over `lengths.length` chunks. */
  static decode(bytes: Uint8Array, lengths: Uint16Array): PostingList {
    const reader = new ByteReader(bytes);
    const count = reader.varint();
    if (count > lengths.length) throw new RangeError('more postings than chunks');
    const ordinals = new Uint32Array(count);
    const frequencies = new Uint16Array(count);
    let ordinal = -1;
    for (let i = 0; i < count; i++) {
      const packed = reader.varint();
      ordinal += (packed >>> 1) + 1;
      ordinals[i] = ordinal;
      frequencies[i] = packed & 1 ? 1 : reader.varint();
    }
    if (ordinal >= lengths.length || !reader.done) throw new RangeError('postings do not fit their segment');
    return new PostingList(ordinals, frequencies, lengths);
  }

  /** An estimate of the memory it takes once its bounds are made, in bytes. */
  get byteSize(): number {
    const elements = this.ordinals.length * 6 + this.packImpacts().length * 4 + this.blockCount * 8;
    return 150 + 4 * ARRAY_BYTES + elements;
  }

  /** Chunks with the term that are not withdrawn. */
  liveCount(tombstones: Tombstones | undefined): number {
    if (!tombstones || tombstones.count === 0) return this.ordinals.length;
    if (this.countedFor !== tombstones) {
      let live = 0;
      for (let i = 0; i < this.ordinals.length; i++) live += 1 - tombstones.dead[this.ordinals[i]!]!;
      this.counted = live;
      this.countedFor = tombstones;
    }
    return this.counted;
  }

  /** How often the term is in the chunk; 0 where it is not. */
  frequencyIn(ordinal: number): number {
    let low = 0;
    let high = this.ordinals.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.ordinals[middle]! < ordinal) low = middle + 1;
      else high = middle;
    }
    return this.ordinals[low] === ordinal ? this.frequencies[low]! : 0;
  }

  /** Per block, the greatest tf / (tf + norm): what the term's weight is multiplied by at most. */
  blockBounds(norms: Float64Array): Float64Array {
    if (this.boundsNorms !== norms) this.bound(norms);
    return this.bounds;
  }

  /** The greatest of {@link blockBounds}. */
  upperBound(norms: Float64Array): number {
    if (this.boundsNorms !== norms) this.bound(norms);
    return this.listBound;
  }

  private get blockCount(): number {
    return Math.ceil(this.ordinals.length / BLOCK_SIZE);
  }

  private packImpacts(): Uint32Array {
    return (this.impacts ??= collectImpacts(this.ordinals, this.frequencies, this.lengths));
  }

  private bound(norms: Float64Array): void {
    const impacts = this.packImpacts();
    const blocks = this.blockCount;
    if (this.bounds.length !== blocks) this.bounds = new Float64Array(blocks);
    let greatest = 0;
    for (let block = 0; block < blocks; block++) {
      let best = 0;
      for (let i = impacts[block]!; i < impacts[block + 1]!; i++) {
        const frequency = impacts[i]! >>> LENGTH_BITS;
        const value = frequency / (frequency + norms[impacts[i]! & LENGTH_MASK]!);
        if (value > best) best = value;
      }
      this.bounds[block] = best;
      if (best > greatest) greatest = best;
    }
    this.listBound = greatest;
    this.boundsNorms = norms;
  }
}

/** A pair is a frequency above a length, both of 16 bits. */
const LENGTH_BITS = 16;
const LENGTH_MASK = 0xffff;

interface Impacts {
  starts: number[];
  frequencies: number[];
  lengths: number[];
}

function collectImpacts(ordinals: Uint32Array, frequencies: Uint16Array, lengths: Uint16Array): Uint32Array {
  const impacts: Impacts = { starts: [0], frequencies: [], lengths: [] };
  for (let start = 0; start < ordinals.length; start += BLOCK_SIZE) {
    const first = impacts.frequencies.length;
    const end = Math.min(start + BLOCK_SIZE, ordinals.length);
    for (let i = start; i < end; i++) addImpact(impacts, first, frequencies[i]!, lengths[ordinals[i]!]!);
    impacts.starts.push(impacts.frequencies.length);
  }
  return packed(impacts);
}

/** In one array, where each block's pairs begin and end first: each array takes more than the pairs of a short list. */
function packed({ starts, frequencies, lengths }: Impacts): Uint32Array {
  const pairs = new Uint32Array(starts.length + frequencies.length);
  starts.forEach((start, block) => (pairs[block] = starts.length + start));
  frequencies.forEach((frequency, i) => {
    pairs[starts.length + i] = (frequency << LENGTH_BITS) | lengths[i]!;
  });
  return pairs;
}

/** Adds a pair to the block that began at `first`, unless one there is at least as frequent and at most as long. */
function addImpact(impacts: Impacts, first: number, frequency: number, length: number): void {
  let kept = first;
  for (let i = first; i < impacts.frequencies.length; i++) {
    const otherFrequency = impacts.frequencies[i]!;
    const otherLength = impacts.lengths[i]!;
    if (otherFrequency >= frequency && otherLength <= length) return;
    if (otherFrequency <= frequency && otherLength >= length) continue;
    impacts.frequencies[kept] = otherFrequency;
    impacts.lengths[kept++] = otherLength;
  }
  impacts.frequencies.length = impacts.lengths.length = kept;
  impacts.frequencies.push(frequency);
  impacts.lengths.push(length);
}
