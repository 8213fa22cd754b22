import type { SegmentView } from '../../../../search/collection.js';
import type { PostingList, Tombstones } from '../../../../search/postings.js';
import { VISIBILITY, type FactReader } from '../facts.types.js';
import { FactSegment, type FactToIndex, type PackedSegment, type SegmentKind, withDead } from './fact-segment.js';
import { joinFactSegments, tailSegments } from './fact-segments.rules.js';

/** A stored segment as its table describes it. */
export interface SegmentRef extends SegmentKind {
  segmentId: string;
  factCount: number;
  retireCount: number;
}

/** A segment in memory with what is known to be retired in it. */
interface Part {
  facts: FactSegment;
  retired: Tombstones | undefined;
  /** What one owner must not see in addition, for the masks made last. */
  masks: Map<string, { retired: Tombstones | undefined; mask: Tombstones | undefined }>;
}

/** Facts that no segment holds yet, read from their table. */
interface TailPart extends Part {
  packed: PackedSegment;
}

/** Facts of the tail as they were read together: their seqs, tombstones included, and what they retire. */
interface TailRun {
  seqs: readonly number[];
  retires: readonly number[];
}

/** A segment as one search reads it. */
export interface FactView extends SegmentView {
  facts: FactSegment;
  /** Where its postings are read from; undefined when they are in memory. */
  segmentId: string | undefined;
  postings: Map<string, PostingList>;
}

/** What a search wants to read. */
export interface Wanted {
  /** All facts that ever were, not only the current ones. */
  withHistory: boolean;
  /** Those under reserved prefixes too. */
  withReserved: boolean;
  /** The terms whose postings are read. */
  names: readonly string[];
  today: number;
}

/** Adjacent parts of the tail of about one size; joined they become one of the next size. */
const TAIL_FACTOR = 8;
/** Larger parts are left as they are: joining them would hold up a search. */
const MAX_JOINED = 512;
const MASKS_A_PART = 16;

/**
 * One tenant's facts in memory: the stored segments, and a tail of what was committed since the last was flushed. What
 * is retired is only ever added to, so it is known once and for all.
 */
export class TenantIndex {
  generation = 0;
  flushedSeq = 0;
  refs: readonly SegmentRef[] = [];
  /** Facts of the tail were dropped with flushed ones and must be read again before this is searched. */
  lacksTail = false;
  private readonly stored = new Map<string, Part>();
  private tail: TailPart[] = [];
  private runs: TailRun[] = [];
  private knownRanges: string | undefined = '{}';

  /** Estimated memory, in bytes. */
  get byteSize(): number {
    let size = 10_000;
    for (const { facts, masks } of [...this.stored.values(), ...this.tail])
      size += facts.byteSize + facts.factCount * (1 + masks.size);
    return size + this.tailLength * 40;
  }

  /** Records in the tail, tombstones included. */
  get tailLength(): number {
    return this.runs.reduce((sum, { seqs }) => sum + seqs.length, 0);
  }

  get storedCount(): number {
    return this.stored.size;
  }

  /** The seqs of the tail as an int8multirange. */
  get known(): string {
    return (this.knownRanges ??= rangesOf(this.runs.flatMap(({ seqs }) => [...seqs])));
  }

  /** Stored segments of current facts or of history that are not in memory yet. */
  absent(withHistory: boolean): SegmentRef[] {
    return this.refs.filter((ref) => !this.stored.has(ref.segmentId) && (withHistory || !ref.isHistory));
  }

  /**
   * The index with another set of segments; this one stays as it is for the searches that read it. Of the tail those
   * parts are left out that the segments hold, wholly or in part; what is missing then is read again.
   */
  movedTo(generation: number, flushedSeq: number, refs: readonly SegmentRef[]): TenantIndex {
    const moved = new TenantIndex();
    Object.assign(moved, { generation, flushedSeq, refs });
    for (const { segmentId } of refs) {
      const part = this.stored.get(segmentId);
      if (part) moved.stored.set(segmentId, { ...part });
    }
    // A lower flushed seq than before: the index is being rebuilt.
    if (flushedSeq < this.flushedSeq) return moved.lacking(this.runs.length > 0);
    moved.tail = this.tail.map((part) => ({ ...part }));
    moved.runs = this.runs;
    moved.knownRanges = this.knownRanges;
    const gone = moved.dropFlushed();
    return moved.lacking(some(gone, (seq) => seq > flushedSeq));
  }

  private lacking(lacksTail: boolean): this {
    this.lacksTail = lacksTail;
    return this;
  }

  private dropFlushed(): ReadonlySet<number> {
    const left = this.runs.filter(({ seqs }) => some(seqs, (seq) => seq <= this.flushedSeq));
    const gone = new Set(left.flatMap(({ seqs }) => [...seqs]));
    // A part may be joined of several runs: those that share one with a run that goes, go with it.
    for (;;) {
      const torn = this.tail.filter(
        ({ facts: { seqs } }) => some(seqs, (seq) => gone.has(seq)) && some(seqs, (seq) => !gone.has(seq)),
      );
      if (torn.length === 0) break;
      const shares = ({ seqs }: TailRun) =>
        torn.some(({ facts }) => some(seqs, (seq) => facts.ordinalOf(seq) !== undefined));
      this.runs.filter(shares).forEach(({ seqs }) => seqs.forEach((seq) => gone.add(seq)));
    }
    this.runs = this.runs.filter(({ seqs }) => !some(seqs, (seq) => gone.has(seq)));
    this.tail = this.tail.filter(({ facts }) => !some(facts.seqs, (seq) => gone.has(seq)));
    if (gone.size > 0) this.knownRanges = undefined;
    return gone;
  }

  /** Takes stored segments into memory. */
  addStored(segments: ReadonlyMap<string, FactSegment>): void {
    const retires = this.retires();
    const added = [...segments].filter(([segmentId]) => !this.stored.has(segmentId));
    for (const [segmentId, facts] of added) this.stored.set(segmentId, partOf(facts));
    const addedRetires = added.flatMap(([, facts]) => [...facts.columns.retires]);
    for (const [segmentId, part] of this.stored) retireIn(part, segments.has(segmentId) ? retires : [], addedRetires);
    for (const part of this.tail) retireIn(part, addedRetires);
  }

  /** Takes committed facts into the tail. */
  addTail(facts: readonly FactToIndex[], packed: readonly PackedSegment[] = tailSegments(facts)): void {
    const retires = facts.flatMap((fact) => (fact.retires === null ? [] : [fact.retires]));
    const before = this.retires();
    this.runs = [...this.runs, { seqs: facts.map(({ seq }) => seq), retires }];
    this.knownRanges = undefined;
    for (const part of [...this.stored.values(), ...this.tail]) retireIn(part, retires);
    for (const segment of packed) {
      const part = tailPart(segment);
      retireIn(part, before, retires);
      this.tail.push(part);
    }
    this.joinTail(packed);
  }

  /** What one search reads. Private facts that the reader does not see are neither found nor counted. */
  views(reader: FactReader, { withHistory, withReserved, names, today }: Wanted): FactView[] {
    const parts = this.refs
      .filter(({ isHistory }) => withHistory || !isHistory)
      .map(({ segmentId }) => [segmentId, this.stored.get(segmentId)!] as const);
    const all = [...parts, ...this.tail.map((part) => [undefined, part] as const)];
    return all
      .filter(([, { facts }]) => withReserved || facts.kind.visibility !== VISIBILITY.reserved)
      .map(([segmentId, part]) => ({
        facts: part.facts,
        segment: part.facts.segment,
        segmentId,
        tombstones: maskFor(
          part,
          reader.seesAll ? undefined : reader.principal,
          withHistory ? undefined : part.retired,
        ),
        postings: listsOf(part.facts, names),
        factorOf: (ordinal: number) => part.facts.factorOf(ordinal, today),
      }));
  }

  /** Whether a fact is known to be superseded or deleted. */
  isRetired(seq: number): boolean {
    return [...this.stored.values(), ...this.tail].some(({ facts, retired }) => {
      const ordinal = facts.ordinalOf(seq);
      return ordinal !== undefined && (facts.kind.isHistory || retired?.dead[ordinal] === 1);
    });
  }

  /** Releases the posting lists that were used first, so that each segment keeps at most its share of `maxBytes`. */
  trim(maxBytes: number): void {
    for (const { facts } of this.stored.values()) facts.trimPostings(maxBytes / this.stored.size);
  }

  private retires(): number[] {
    return [
      ...[...this.stored.values()].flatMap(({ facts }) => [...facts.columns.retires]),
      ...this.runs.flatMap(({ retires }) => [...retires]),
    ];
  }

  private joinTail(added: readonly PackedSegment[]): void {
    for (const { visibility } of added) {
      for (let size = 1; size < MAX_JOINED; size *= TAIL_FACTOR) {
        const same = this.tail.filter(
          ({ facts }) =>
            facts.kind.visibility === visibility && facts.factCount >= size && facts.factCount < size * TAIL_FACTOR,
        );
        if (same.length < TAIL_FACTOR) continue;
        const joined = tailPart(joinFactSegments(same.map(({ packed }) => packed)));
        retireIn(joined, this.retires());
        this.tail = [...this.tail.filter((part) => !same.includes(part)), joined];
      }
    }
  }
}

function partOf(facts: FactSegment): Part {
  return { facts, retired: undefined, masks: new Map() };
}

function tailPart(packed: PackedSegment): TailPart {
  return { ...partOf(new FactSegment(packed, packed, packed.postings)), packed };
}

function retireIn(part: Part, ...lists: (readonly number[])[]): void {
  if (part.facts.kind.isHistory) return;
  const ordinals: number[] = [];
  for (const list of lists) {
    for (const seq of list) {
      const ordinal = part.facts.ordinalOf(seq);
      if (ordinal !== undefined) ordinals.push(ordinal);
    }
  }
  if (ordinals.length > 0) part.retired = withDead(part.facts, part.retired, ordinals);
}

/** Of private facts only those of one owner, where one is named. */
function maskFor(
  { facts, masks }: Part,
  owner: string | undefined,
  retired: Tombstones | undefined,
): Tombstones | undefined {
  if (owner === undefined || facts.kind.visibility === VISIBILITY.public) return retired;
  const name = `${retired ? 'current' : 'all'} ${owner}`;
  const known = masks.get(name);
  if (known && known.retired === retired) return known.mask;
  const { owners, ownerOf } = facts.columns;
  const own = owners.indexOf(owner);
  const others = ownerOf.reduce<number[]>((list, index, ordinal) => {
    if (index !== own) list.push(ordinal);
    return list;
  }, []);
  const mask = withDead(facts, retired, others);
  if (masks.size >= MASKS_A_PART) masks.clear();
  masks.set(name, { retired, mask });
  return mask;
}

function listsOf(facts: FactSegment, names: readonly string[]): Map<string, PostingList> {
  const lists = new Map<string, PostingList>();
  for (const name of names) {
    const list = facts.findPostings(name);
    if (list) lists.set(name, list);
  }
  return lists;
}

function some(values: Iterable<number>, holds: (value: number) => boolean): boolean {
  for (const value of values) if (holds(value)) return true;
  return false;
}

/** `{[1,4],[7,7]}`: whole numbers as ranges of neighbours. */
function rangesOf(seqs: number[]): string {
  const sorted = Float64Array.from(seqs).sort();
  const ranges: string[] = [];
  for (let start = 0; start < sorted.length;) {
    let end = start;
    while (end + 1 < sorted.length && sorted[end + 1]! <= sorted[end]! + 1) end++;
    ranges.push(`[${sorted[start]},${sorted[end]}]`);
    start = end + 1;
  }
  return `{${ranges.join(',')}}`;
}
