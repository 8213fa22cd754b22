import { analyzerFor } from './analysis.js';
import { MAX_LENGTH } from './bm25.js';
import { ByteReader, ByteWriter } from './bytes.js';
import { blake3 } from './hasher.js';
import { isLanguage, type Language } from './languages.js';
import { PostingList, writePostings } from './postings.js';

/** A chunk as it is indexed. `day` is its version's UTC day (days since 1970-01-01). */
export interface ChunkInput {
  chunkId: string;
  text: string;
  title?: string | null;
  day: number;
}

/**
 * An immutable piece of the index as it is stored: a header, and one row a term. Row i is `terms[i]` with
 * `postings[offsets[i] .. offsets[i + 1]]`. The header covers every row by its digest, `digest` (BLAKE3-256) covers the
 * header.
 */
export interface SegmentData {
  language: Language;
  chunkCount: number;
  header: Uint8Array;
  digest: Uint8Array;
  terms: string[];
  postings: Uint8Array;
  offsets: Uint32Array;
}

/** What was stored is not what was written: the index must not answer from it. */
export class SegmentCorrupted extends Error {}

const FORMAT_VERSION = 1;
/** How often a title's words count relative to the text's: twice was best on Cranfield and on SciFact. */
const TITLE_WEIGHT = 2;
/** Bytes of a row's BLAKE3 kept in the header. */
const ROW_DIGEST_BYTES = 8;

/** Chunk-level columns of a segment, before packing. */
export interface SegmentColumns {
  language: Language;
  chunkIds: string[];
  lengths: ArrayLike<number>;
  days: ArrayLike<number>;
}

/** Analyses chunks and inverts them. Chunk ids must be distinct; their order becomes the ordinals. */
export function buildSegment(chunks: readonly ChunkInput[], language: Language): SegmentData {
  const inverter = new Inverter();
  const analyzer = analyzerFor(language);
  const lengths = new Uint16Array(chunks.length);
  chunks.forEach((chunk, ordinal) => {
    const title = chunk.title ? analyzer.analyze(chunk.title) : [];
    const terms = analyzer.analyze(chunk.text);
    for (let i = 0; i < TITLE_WEIGHT; i++) terms.push(...title);
    lengths[ordinal] = Math.min(terms.length, MAX_LENGTH);
    inverter.add(ordinal, terms);
  });
  const columns: SegmentColumns = {
    language,
    chunkIds: chunks.map((chunk) => chunk.chunkId),
    lengths,
    days: chunks.map((chunk) => chunk.day),
  };
  const writer = new SegmentWriter(columns);
  inverter.drain((term, ordinals, frequencies) => writer.add(term, ordinals, frequencies));
  return writer.finish();
}

/**
 * Collects (term, ordinal, frequency) in chunk order and gives it back in term order. Flat columns: most terms have one
 * posting.
 */
class Inverter {
  private readonly ids = new Map<string, number>();
  private readonly termIds: number[] = [];
  private readonly ordinals: number[] = [];
  private readonly frequencies: number[] = [];
  /** Of each term, its latest posting and how many it has. */
  private readonly latest: number[] = [];
  private readonly counts: number[] = [];

  add(ordinal: number, terms: string[]): void {
    for (const term of terms) {
      const id = this.idOf(term);
      const latest = this.latest[id]!;
      if (latest >= 0 && this.ordinals[latest] === ordinal) {
        this.frequencies[latest]!++;
        continue;
      }
      this.latest[id] = this.termIds.push(id) - 1;
      this.ordinals.push(ordinal);
      this.frequencies.push(1);
      this.counts[id]!++;
    }
  }

  drain(take: (term: string, ordinals: Uint32Array, frequencies: Uint32Array) => void): void {
    const { ordinals, frequencies, ends } = this.byTerm();
    for (const term of [...this.ids.keys()].sort()) {
      const id = this.ids.get(term)!;
      const start = ends[id]! - this.counts[id]!;
      take(term, ordinals.subarray(start, ends[id]), frequencies.subarray(start, ends[id]));
    }
  }

  private idOf(term: string): number {
    const known = this.ids.get(term);
    if (known !== undefined) return known;
    const id = this.ids.size;
    this.ids.set(term, id);
    this.latest.push(-1);
    this.counts.push(0);
    return id;
  }

  /** The postings by term (a counting sort), in chunk order within one, and where each term's end. */
  private byTerm(): { ordinals: Uint32Array; frequencies: Uint32Array; ends: Uint32Array } {
    const ends = new Uint32Array(this.counts.length);
    for (let id = 1; id < ends.length; id++) ends[id] = ends[id - 1]! + this.counts[id - 1]!;
    const ordinals = new Uint32Array(this.termIds.length);
    const frequencies = new Uint32Array(this.termIds.length);
    this.termIds.forEach((id, posting) => {
      const place = ends[id]!++;
      ordinals[place] = this.ordinals[posting]!;
      frequencies[place] = this.frequencies[posting]!;
    });
    return { ordinals, frequencies, ends };
  }
}

/** Packs a segment from its columns and from its terms, which must come in ascending UTF-16 order, each once. */
export class SegmentWriter {
  private readonly terms: string[] = [];
  private readonly offsets: number[] = [0];
  private readonly postings = new ByteWriter(1 << 14);
  private readonly dictionary = new ByteWriter(1 << 14);

  constructor(private readonly columns: SegmentColumns) {}

  add(term: string, ordinals: ArrayLike<number>, frequencies: ArrayLike<number>): void {
    const start = this.postings.length;
    writePostings(this.postings, ordinals, frequencies);
    this.terms.push(term);
    this.offsets.push(this.postings.length);
    this.dictionary.text(term);
    this.dictionary.varint(ordinals.length);
    this.dictionary.bytes(rowDigest(term, this.postings.since(start)));
  }

  finish(): SegmentData {
    const { language, chunkIds, lengths, days } = this.columns;
    const header = new ByteWriter(this.dictionary.length + chunkIds.length * 80 + 64);
    header.varint(FORMAT_VERSION);
    header.text(language);
    header.varint(chunkIds.length);
    chunkIds.forEach((chunkId, ordinal) => {
      header.text(chunkId);
      header.varint(lengths[ordinal]!);
      header.varint(Math.max(days[ordinal]!, 0));
    });
    header.varint(this.terms.length);
    header.bytes(this.dictionary.finish());
    const bytes = header.finish();
    return {
      language,
      chunkCount: chunkIds.length,
      header: bytes,
      digest: blake3(bytes),
      terms: this.terms,
      postings: this.postings.finish(),
      offsets: Uint32Array.from(this.offsets),
    };
  }
}

/** A segment's header, unpacked: everything about it but the postings, which are opened row by row. */
export class Segment {
  readonly chunkIds: string[] = [];
  readonly lengths: Uint16Array;
  readonly days: Uint32Array;
  readonly language: Language;
  readonly totalLength: number;
  readonly latestDay: number;
  readonly longest: number;
  private readonly rows = new Map<string, number>();
  private readonly chunkFrequencies: Uint32Array;
  private readonly rowDigests: Uint8Array;
  private ordinals: Map<string, number> | undefined;

  private constructor(
    private readonly headerSize: number,
    reader: ByteReader,
  ) {
    if (reader.varint() !== FORMAT_VERSION) throw new SegmentCorrupted('unknown segment format');
    const language = reader.text();
    if (!isLanguage(language)) throw new SegmentCorrupted(`unknown language ${language}`);
    this.language = language;
    const count = reader.varint();
    this.lengths = new Uint16Array(count);
    this.days = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      this.chunkIds.push(reader.text());
      this.lengths[i] = reader.varint();
      this.days[i] = reader.varint();
    }
    this.totalLength = this.lengths.reduce((sum, length) => sum + length, 0);
    this.longest = this.lengths.reduce((longest, length) => Math.max(longest, length), 0);
    this.latestDay = this.days.reduce((latest, day) => Math.max(latest, day), 0);
    const terms = reader.varint();
    this.chunkFrequencies = new Uint32Array(terms);
    this.rowDigests = new Uint8Array(terms * ROW_DIGEST_BYTES);
    for (let row = 0; row < terms; row++) {
      this.rows.set(reader.text(), row);
      this.chunkFrequencies[row] = reader.varint();
      this.rowDigests.set(reader.bytes(ROW_DIGEST_BYTES), row * ROW_DIGEST_BYTES);
    }
  }

  /** Unpacks a header. @throws SegmentCorrupted when it does not have this digest or is not a header. */
  static open(header: Uint8Array, digest: Uint8Array): Segment {
    if (!Buffer.from(digest).equals(blake3(header))) throw new SegmentCorrupted('the header does not have its digest');
    try {
      return new Segment(header.length, new ByteReader(header));
    } catch (error) {
      if (error instanceof RangeError) throw new SegmentCorrupted(error.message);
      throw error;
    }
  }

  get chunkCount(): number {
    return this.chunkIds.length;
  }

  get termCount(): number {
    return this.rows.size;
  }

  /** Terms in ascending order. */
  get terms(): string[] {
    return [...this.rows.keys()];
  }

  /** An estimate of the memory the header takes, in bytes. */
  get byteSize(): number {
    return this.headerSize * 2 + this.chunkIds.length * 40 + this.rows.size * 60;
  }

  has(term: string): boolean {
    return this.rows.has(term);
  }

  /** The term's place among {@link terms}. */
  rowOf(term: string): number | undefined {
    return this.rows.get(term);
  }

  ordinalOf(chunkId: string): number | undefined {
    this.ordinals ??= new Map(this.chunkIds.map((id, ordinal) => [id, ordinal]));
    return this.ordinals.get(chunkId);
  }

  /**
   * Checks a row against the header and unpacks it.
   * @throws SegmentCorrupted when it is missing or not the row that was written.
   */
  openPostings(term: string, bytes: Uint8Array | undefined): PostingList {
    const row = this.rows.get(term);
    if (row === undefined || bytes === undefined) throw new SegmentCorrupted(`the row of "${term}" is missing`);
    const expected = this.rowDigests.subarray(row * ROW_DIGEST_BYTES, (row + 1) * ROW_DIGEST_BYTES);
    if (Buffer.compare(rowDigest(term, bytes), expected) !== 0) {
      throw new SegmentCorrupted(`the row of "${term}" does not have its digest`);
    }
    const list = PostingList.decode(bytes, this.lengths);
    if (list.ordinals.length !== this.chunkFrequencies[row]) throw new SegmentCorrupted(`the row of "${term}" is cut`);
    return list;
  }
}

/** What a row's digest is over, laid out in one piece: three calls of the hasher a term cost more than the hashing. */
let row = Buffer.allocUnsafe(1 << 10);

function rowDigest(term: string, bytes: Uint8Array): Uint8Array {
  const most = term.length * 3 + 1 + bytes.length;
  if (most > row.length) row = Buffer.allocUnsafe(2 * most);
  let end = row.write(term, 0, 'utf8');
  row[end++] = 0;
  row.set(bytes, end);
  return blake3(row.subarray(0, end + bytes.length)).subarray(0, ROW_DIGEST_BYTES);
}
