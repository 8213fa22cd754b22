import { MAX_FREQUENCY } from './bm25.js';
import { ByteReader, type ByteWriter } from './bytes.js';

/**
 * Chunks that are scored together, and the grain at which the scores of long lists are bounded: the sums of a window
 * stay in the caches next to the processor.
 */
export const WINDOW = 4096;
/** A list of fewer postings for each window is not long: what it adds in a window is as soon looked at as looked up. */
const MIN_IN_WINDOW = 4;
/** What V8 takes for a typed array beyond its elements, measured. Most lists are short: it is the most of them. */
const ARRAY_BYTES = 230;
const NO_BOUNDS = new Float64Array(0);

/**
 * Packs postings: their count, then for each the gap to the previous ordinal, shifted left by one; the low bit says
 * that the frequency is 1, otherwise the frequency follows. All are LEB128 varints. Ordinals ascend strictly.
 */
export function writePostings(
  writer: ByteWriter,
  ordinals: ArrayLike<number>,
  frequencies: ArrayLike<number>,
  count: number,
): void {
  writer.varint(count);
  let previous = -1;
  for (let i = 0; i < count; i++) {
    const ordinal = ordinals[i]!;
    const frequency = Math.min(frequencies[i]!, MAX_FREQUENCY);
    const gap = ordinal - previous - 1;
    writer.varint((gap << 1) | (frequency === 1 ? 1 : 0));
    if (frequency !== 1) writer.varint(frequency);
    previous = ordinal;
  }
}

/** Ordinals and frequencies, a pair a place. */
interface PostingColumns {
  readonly ordinals: Uint32Array;
  readonly frequencies: Uint16Array;
}

/**
 * Unpacks `count` postings, which are all that is left, into columns from a place on.
 * @throws RangeError when they are not of a segment of so many chunks
 */
function readPostings(
  reader: ByteReader,
  count: number,
  { ordinals, frequencies }: PostingColumns,
  { from, chunks }: { from: number; chunks: number },
): void {
  let ordinal = -1;
  for (let place = from; place < from + count; place++) {
    const packed = reader.varint();
    ordinal += (packed >>> 1) + 1;
    ordinals[place] = ordinal;
    frequencies[place] = packed & 1 ? 1 : reader.varint();
  }
  if (ordinal >= chunks || !reader.done) throw new RangeError('postings do not fit their segment');
}

/** One term's postings of several segments under their new numbers, in arrays that serve term after term. */
export class GatheredPostings implements PostingColumns {
  readonly ordinals: Uint32Array;
  readonly frequencies: Uint16Array;
  count = 0;

  /** @param chunks of all the segments */
  constructor(chunks: number) {
    this.ordinals = new Uint32Array(chunks);
    this.frequencies = new Uint16Array(chunks);
  }

  clear(): void {
    this.count = 0;
  }

  /**
   * Unpacks the postings of a segment.
   * @param renumbered new ordinal by old ordinal, -1 where the chunk is left out
   * @returns how many there were
   * @throws RangeError when the bytes are not a posting list over `renumbered.length` chunks.
   */
  add(bytes: Uint8Array, renumbered: Int32Array): number {
    const { ordinals, frequencies } = this;
    const reader = new ByteReader(bytes);
    const count = reader.varint();
    const from = this.count;
    readPostings(reader, count, this, { from, chunks: renumbered.length });
    for (let place = from; place < from + count; place++) {
      const ordinal = renumbered[ordinals[place]!]!;
      if (ordinal < 0) continue;
      ordinals[this.count] = ordinal;
      frequencies[this.count++] = frequencies[place]!;
    }
    return count;
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
 * One term's postings in one segment, unpacked. A long list keeps for each window, another one for all, the impacts
 * that could be the best under some average length: (frequency, length) pairs of which none is at once rarer and longer
 * than another (Ding and Suel 2011; the pairs as in Lucene's impacts). Unlike a stored maximum they hold whatever the
 * collection's statistics become.
 */
export class PostingList {
  /** Of a long list, where the postings of each window begin, and where the last end. */
  readonly windowStarts: Uint32Array | undefined;
  private readonly impacts: Uint32Array;
  private bounds = NO_BOUNDS;
  private boundsNorms: Float64Array | undefined;
  private listBound = 0;
  private countedFor: Tombstones | undefined;
  private counted = 0;

  private constructor(
    readonly ordinals: Uint32Array,
    readonly frequencies: Uint16Array,
    lengths: Uint16Array,
  ) {
    const windows = Math.ceil(lengths.length / WINDOW);
    const isLong = ordinals.length >= windows * MIN_IN_WINDOW;
    this.windowStarts = isLong ? startsOf(ordinals, windows) : undefined;
    this.impacts = collectImpacts(ordinals, frequencies, lengths, this.windowStarts ?? [0, ordinals.length]);
  }

  /** Unpacks a row. @throws RangeError when the bytes are not a posting list over `lengths.length` chunks. */
  static decode(bytes: Uint8Array, lengths: Uint16Array): PostingList {
    const reader = new ByteReader(bytes);
    const count = reader.varint();
    // Before so many are allocated.
    if (count > lengths.length) throw new RangeError('more postings than chunks');
    const columns = { ordinals: new Uint32Array(count), frequencies: new Uint16Array(count) };
    readPostings(reader, count, columns, { from: 0, chunks: lengths.length });
    return new PostingList(columns.ordinals, columns.frequencies, lengths);
  }

  /** An estimate of the memory it takes once its bounds are made, in bytes. */
  get byteSize(): number {
    const elements = this.ordinals.length * 6 + this.impacts.length * 4 + this.partCount * 8;
    const ofWindows = this.windowStarts ? ARRAY_BYTES + this.windowStarts.byteLength : 0;
    return 150 + 4 * ARRAY_BYTES + elements + ofWindows;
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

  /** Per window of a long list, the greatest tf / (tf + norm): what the term's weight is multiplied by at most. */
  windowBounds(norms: Float64Array): Float64Array | undefined {
    if (!this.windowStarts) return undefined;
    if (this.boundsNorms !== norms) this.bound(norms);
    return this.bounds;
  }

  /** The same for the whole list. */
  upperBound(norms: Float64Array): number {
    if (this.boundsNorms !== norms) this.bound(norms);
    return this.listBound;
  }

  /** Parts of the list with a bound of their own: the windows of a long one. */
  private get partCount(): number {
    return this.windowStarts ? this.windowStarts.length - 1 : 1;
  }

  private bound(norms: Float64Array): void {
    const { impacts, partCount: parts } = this;
    if (this.bounds.length !== parts) this.bounds = new Float64Array(parts);
    let greatest = 0;
    for (let part = 0; part < parts; part++) {
      let best = 0;
      for (let i = impacts[part]!; i < impacts[part + 1]!; i++) {
        const frequency = impacts[i]! >>> LENGTH_BITS;
        const value = frequency / (frequency + norms[impacts[i]! & LENGTH_MASK]!);
        if (value > best) best = value;
      }
      this.bounds[part] = best;
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

function startsOf(ordinals: Uint32Array, windows: number): Uint32Array {
  const starts = new Uint32Array(windows + 1);
  let at = 0;
  for (let window = 1; window <= windows; window++) {
    while (at < ordinals.length && ordinals[at]! < window * WINDOW) at++;
    starts[window] = at;
  }
  return starts;
}

/** @param partStarts where the postings of each part begin, and where the last end */
function collectImpacts(
  ordinals: Uint32Array,
  frequencies: Uint16Array,
  lengths: Uint16Array,
  partStarts: ArrayLike<number>,
): Uint32Array {
  const impacts: Impacts = { starts: [0], frequencies: [], lengths: [] };
  for (let part = 0; part + 1 < partStarts.length; part++) {
    const first = impacts.frequencies.length;
    for (let i = partStarts[part]!; i < partStarts[part + 1]!; i++)
      addImpact(impacts, first, frequencies[i]!, lengths[ordinals[i]!]!);
    impacts.starts.push(impacts.frequencies.length);
  }
  return packed(impacts);
}

/** In one array, where each part's pairs begin and end first: each array takes more than the pairs of a short list. */
function packed({ starts, frequencies, lengths }: Impacts): Uint32Array {
  const pairs = new Uint32Array(starts.length + frequencies.length);
  starts.forEach((start, part) => (pairs[part] = starts.length + start));
  frequencies.forEach((frequency, i) => {
    pairs[starts.length + i] = (frequency << LENGTH_BITS) | lengths[i]!;
  });
  return pairs;
}

/** Adds a pair to the part that began at `first`, unless one there is at least as frequent and at most as long. */
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
