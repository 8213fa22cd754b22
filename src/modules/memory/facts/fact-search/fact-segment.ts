import { blake3 } from '../../../../search/hasher.js';
import type { PostingList, Tombstones } from '../../../../search/postings.js';
import { DEFAULT_LANGUAGE } from '../../../../search/languages.js';
import { buildSegment, Segment, SegmentCorrupted, type SegmentData } from '../../../../search/segment.js';
import { HALF_LIFE_DAYS, HORIZON_CLASSES, type HorizonClass, type Visibility } from '../facts.types.js';
import { type FactColumns, packColumns, unpackColumns } from './fact-columns.js';
import { type FactText, seqOf, toChunk } from './fact-terms.rules.js';

/** A record of table `fact` as it comes to the index. */
export interface FactToIndex extends FactText {
  visibility: Visibility;
  owner: string;
  confidence: number;
  horizonClass: HorizonClass;
  /** The record that this one superseded or deleted. */
  retires: number | null;
  /** Never found itself: it only retires. */
  isTombstone: boolean;
}

/**
 * Which facts a segment holds. Retired ones are history when the segment is made, and are read by searches in the past
 * alone.
 */
export interface SegmentKind {
  visibility: Visibility;
  isHistory: boolean;
}

/** An immutable piece of a tenant's index as it is stored. Each digest is the BLAKE3-256 of what it is named after. */
export interface PackedSegment extends SegmentKind {
  factCount: number;
  retireCount: number;
  header: Uint8Array;
  headerDigest: Uint8Array;
  columns: Uint8Array;
  columnsDigest: Uint8Array;
  postings: Uint8Array;
}

/** Packs an engine segment with the columns of its facts. */
export function packSegment(
  kind: SegmentKind,
  data: SegmentData,
  columns: Omit<FactColumns, 'postingSizes'>,
): PackedSegment {
  const postingSizes = Array.from(data.rows, (_, i) => data.offsets[i + 1]! - data.offsets[i]!);
  const packed = packColumns({ ...columns, postingSizes });
  return {
    ...kind,
    factCount: data.chunkCount,
    retireCount: columns.retires.length,
    header: data.header,
    headerDigest: data.digest,
    columns: packed,
    columnsDigest: blake3(packed),
    postings: data.postings,
  };
}

/** Analyses and inverts facts of one kind. */
export function buildFactSegment(
  kind: SegmentKind,
  facts: readonly FactToIndex[],
  retires: readonly number[],
): PackedSegment {
  const owners = [...new Set(facts.map(({ owner }) => owner))];
  const indexes = new Map(owners.map((owner, i) => [owner, i]));
  return packSegment(kind, buildSegment(facts.map(toChunk), DEFAULT_LANGUAGE), {
    owners,
    ownerOf: Uint32Array.from(facts, ({ owner }) => indexes.get(owner)!),
    confidence: Float32Array.from(facts, ({ confidence }) => confidence),
    horizonOf: Uint8Array.from(facts, ({ horizonClass }) => HORIZON_CLASSES.indexOf(horizonClass)),
    retires,
  });
}

/** By index into HORIZON_CLASSES. */
const HALF_LIVES = HORIZON_CLASSES.map((name) => HALF_LIFE_DAYS[name]);

/** A stored segment, unpacked: everything but the postings, which are opened term by term. */
export class FactSegment {
  readonly segment: Segment;
  readonly columns: FactColumns;
  /** By ordinal. */
  readonly seqs: Float64Array;
  /** Where each row of postings begins, and at the end where they end. */
  readonly offsets: Float64Array;
  private readonly lists = new Map<string, PostingList>();
  private listBytes = 0;
  private order: Uint32Array | undefined;

  /**
   * @param postings all of them, where they are in memory anyway
   * @throws SegmentCorrupted when a part does not have its digest
   */
  constructor(
    readonly kind: SegmentKind,
    packed: Pick<PackedSegment, 'header' | 'headerDigest' | 'columns' | 'columnsDigest'>,
    private readonly postings?: Uint8Array,
  ) {
    this.segment = Segment.open(packed.header, packed.headerDigest);
    if (!Buffer.from(packed.columnsDigest).equals(blake3(packed.columns)))
      throw new SegmentCorrupted('the columns do not have their digest');
    this.columns = unpackColumns(packed.columns);
    const { postingSizes, ownerOf } = this.columns;
    if (postingSizes.length !== this.segment.rowCount || ownerOf.length !== this.segment.chunkCount)
      throw new SegmentCorrupted('header and columns are not of one segment');
    this.seqs = Float64Array.from(this.segment.chunkIds(), seqOf);
    this.offsets = new Float64Array(postingSizes.length + 1);
    postingSizes.forEach((size, row) => (this.offsets[row + 1] = this.offsets[row]! + size));
  }

  get factCount(): number {
    return this.segment.chunkCount;
  }

  /** An estimate of the memory it takes, in bytes. */
  get byteSize(): number {
    const inMemory = this.postings?.length ?? 0;
    return this.segment.byteSize + this.factCount * 24 + this.offsets.length * 16 + this.listBytes + inMemory + 2_000;
  }

  /** The term's postings, when they are in memory; undefined too when the segment does not have the term. */
  findPostings(term: string): PostingList | undefined {
    const list = this.lists.get(term);
    if (list || !this.postings) return list;
    const range = this.rangeOf(term);
    return range && this.keepPostings(term, this.postings.subarray(range.first, range.end));
  }

  /** Where the row with the term's postings lies among the segment's. */
  rangeOf(term: string): { first: number; end: number } | undefined {
    const row = this.segment.rowOf(term);
    return row === undefined ? undefined : { first: this.offsets[row]!, end: this.offsets[row + 1]! };
  }

  /**
   * Checks the row of a term, unpacks and keeps the term's postings.
   * @throws SegmentCorrupted when it is not what was written
   */
  keepPostings(term: string, bytes: Uint8Array | undefined): PostingList {
    const list = this.open(term, bytes);
    if (!this.lists.has(term)) this.listBytes += list.byteSize + 100;
    this.lists.set(term, list);
    return list;
  }

  /** Releases the lists kept first, until all take at most `maxBytes`. */
  trimPostings(maxBytes: number): void {
    for (const [term, list] of this.lists) {
      if (this.listBytes <= maxBytes) return;
      this.lists.delete(term);
      this.listBytes -= list.byteSize + 100;
    }
  }

  ordinalOf(seq: number): number | undefined {
    this.order ??= inOrder(this.seqs);
    let low = 0;
    let high = this.order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.seqs[this.order[middle]!]! < seq) low = middle + 1;
      else high = middle;
    }
    const ordinal = this.order[low];
    return ordinal !== undefined && this.seqs[ordinal] === seq ? ordinal : undefined;
  }

  /** Effective confidence by whole UTC days: what the fact's score is multiplied by. */
  factorOf(ordinal: number, today: number): number {
    const { confidence, horizonOf } = this.columns;
    const age = Math.max(today - this.segment.days[ordinal]!, 0);
    return confidence[ordinal]! * 2 ** (-age / HALF_LIVES[horizonOf[ordinal]!]!);
  }

  private open(term: string, bytes: Uint8Array | undefined): PostingList {
    try {
      return this.segment.openPostings(term, bytes);
    } catch (error) {
      if (error instanceof RangeError) throw new SegmentCorrupted(error.message);
      throw error;
    }
  }
}

/** The ordinals in the order of their seqs, which is nearly always their own. */
function inOrder(seqs: Float64Array): Uint32Array {
  const order = Uint32Array.from(seqs.keys());
  return seqs.every((seq, i) => i === 0 || seqs[i - 1]! < seq) ? order : order.sort((a, b) => seqs[a]! - seqs[b]!);
}

/**
 * Marks facts of a segment that a search must not find or count. A new object for every change: what is counted under
 * the old one stays right for it.
 */
export function withDead(
  { segment }: FactSegment,
  before: Tombstones | undefined,
  ordinals: Iterable<number>,
): Tombstones | undefined {
  const dead = before ? before.dead.slice() : new Uint8Array(segment.chunkCount);
  let count = before?.count ?? 0;
  let length = before?.length ?? 0;
  for (const ordinal of ordinals) {
    if (dead[ordinal]) continue;
    dead[ordinal] = 1;
    count++;
    length += segment.lengths[ordinal]!;
  }
  return count === (before?.count ?? 0) ? before : { dead, count, length };
}
