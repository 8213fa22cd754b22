import { analyzerFor } from './analysis.js';
import { MAX_LENGTH } from './bm25.js';
import { ByteReader, ByteWriter } from './bytes.js';
import { firstAbove } from './first-above.js';
import { blake3 } from './hasher.js';
import { Inverter } from './inverter.js';
import { isLanguage, type Language } from './languages.js';
import { PostingList, writePostings } from './postings.js';
import { TermTable } from './term-table.js';

/** A chunk as it is indexed. `day` is its version's UTC day (days since 1970-01-01). */
export interface ChunkInput {
  chunkId: string;
  text: string;
  title?: string | null;
  day: number;
}

/**
 * An immutable piece of the index as it is stored: a header, and rows of packed postings. A row holds the postings of
 * consecutive terms and is named by the first of them: row i is `rows[i]`, with
 * `postings[offsets[i] .. offsets[i + 1]]`. The header covers every row by its digest, `digest` (BLAKE3-256) covers the
 * header.
 */
export interface SegmentData {
  language: Language;
  chunkCount: number;
  header: Uint8Array;
  digest: Uint8Array;
  rows: string[];
  postings: Uint8Array;
  offsets: Uint32Array;
}

/** What was stored is not what was written: the index must not answer from it. */
export class SegmentCorrupted extends Error {}

/** What is written. */
const FORMAT_VERSION = 2;
/** One row a term. Still read. */
const FORMAT_OF_SINGLE_TERMS = 1;
/**
 * A row is closed before it grows beyond this, so that PostgreSQL keeps it in its page (up to 2 KB) and writes far
 * fewer rows than there are terms. Postings of one term that are longer are a row of their own.
 */
const ROW_BYTES = 1800;
/** How often a title's words count relative to the text's: twice was best on Cranfield and on SciFact. */
const TITLE_WEIGHT = 2;
/** Bytes of a row's BLAKE3 kept in the header. */
const ROW_DIGEST_BYTES = 16;
const SINGLE_TERM_DIGEST_BYTES = 8;

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

/** The postings of a term as they are packed, and how many they are. */
export interface PackedPostings {
  readonly term: string;
  readonly bytes: Uint8Array;
  readonly count: number;
}

/** Packs a segment from its columns and from its terms, which must come in ascending UTF-16 order, each once. */
export class SegmentWriter {
  private readonly rows: string[] = [];
  private readonly offsets: number[] = [];
  private readonly postings = new ByteWriter(1 << 14);
  private readonly dictionary = new ByteWriter(1 << 14);
  private readonly rowTable = new ByteWriter(1 << 10);
  private termCount = 0;
  private termsInRow = 0;

  constructor(private readonly columns: SegmentColumns) {}

  /** @param count how many of the ordinals and frequencies are meant, from the first on */
  add(term: string, ordinals: ArrayLike<number>, frequencies: ArrayLike<number>, count = ordinals.length): void {
    const start = this.postings.length;
    writePostings(this.postings, ordinals, frequencies, count);
    if (this.termsInRow === 0 || this.postings.length - this.offsets.at(-1)! > ROW_BYTES) this.beginRow(term, start);
    this.termsInRow++;
    this.termCount++;
    this.dictionary.text(term);
    this.dictionary.varint(count);
    this.dictionary.varint(this.postings.length - start);
  }

  finish(): SegmentData {
    const { language, chunkIds, lengths, days } = this.columns;
    this.endRow(this.postings.length);
    const header = new ByteWriter(this.dictionary.length + this.rowTable.length + chunkIds.length * 80 + 64);
    header.varint(FORMAT_VERSION);
    header.text(language);
    header.varint(chunkIds.length);
    chunkIds.forEach((chunkId, ordinal) => {
      header.text(chunkId);
      header.varint(lengths[ordinal]!);
      header.varint(Math.max(days[ordinal]!, 0));
    });
    header.varint(this.termCount);
    header.bytes(this.dictionary.between());
    header.varint(this.rows.length);
    header.bytes(this.rowTable.between());
    const bytes = header.finish();
    return {
      language,
      chunkCount: chunkIds.length,
      header: bytes,
      digest: blake3(bytes),
      rows: this.rows,
      postings: this.postings.finish(),
      offsets: Uint32Array.from([...this.offsets, this.postings.length]),
    };
  }

  private beginRow(name: string, start: number): void {
    this.endRow(start);
    this.rows.push(name);
    this.offsets.push(start);
    this.termsInRow = 0;
  }

  /** @param end where its postings end, of all that were written */
  private endRow(end: number): void {
    if (this.termsInRow === 0) return;
    this.rowTable.varint(this.termsInRow);
    this.rowTable.bytes(digestOf(this.postings.between(this.offsets.at(-1), end)));
  }
}

/** A segment's header, unpacked: everything about it but the postings, which are opened term by term. */
export class Segment {
  readonly chunkCount: number;
  readonly lengths: Uint16Array;
  readonly days: Uint32Array;
  readonly language: Language;
  readonly totalLength: number;
  readonly latestDay: number;
  readonly longest: number;
  private readonly version: number;
  /** Ids and terms are read where they stand in it: of a million few are ever asked for. */
  private readonly header: Buffer;
  /** Where the id of each chunk begins and ends in the header. */
  private readonly idStarts: Uint32Array;
  private readonly idEnds: Uint32Array;
  /** In ascending order. */
  private readonly terms: TermTable;
  private readonly chunkFrequencies: Uint32Array;
  /** Of the term at each place, where its postings end, counted from the first of the segment. */
  private readonly ends: Uint32Array;
  /** The place of the first term of each row. */
  private readonly rowStarts: Uint32Array;
  private readonly rowDigests: Uint8Array;
  private ordinals: Map<string, number> | undefined;

  private constructor(
    header: Uint8Array,
    /** BLAKE3-256 of the header, which covers the ids of the chunks and, by their digests, the postings. */
    readonly digest: Uint8Array,
  ) {
    this.header = Buffer.from(header.buffer, header.byteOffset, header.length);
    const reader = new ByteReader(header);
    this.version = reader.varint();
    if (this.version !== FORMAT_VERSION && this.version !== FORMAT_OF_SINGLE_TERMS)
      throw new SegmentCorrupted('unknown segment format');
    const language = reader.text();
    if (!isLanguage(language)) throw new SegmentCorrupted(`unknown language ${language}`);
    this.language = language;
    const count = reader.varint();
    this.chunkCount = count;
    this.lengths = new Uint16Array(count);
    this.days = new Uint32Array(count);
    this.idStarts = new Uint32Array(count);
    this.idEnds = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      this.idStarts[i] = reader.skipText();
      this.idEnds[i] = reader.offset;
      this.lengths[i] = reader.varint();
      this.days[i] = reader.varint();
    }
    this.totalLength = this.lengths.reduce((sum, length) => sum + length, 0);
    this.longest = this.lengths.reduce((longest, length) => Math.max(longest, length), 0);
    this.latestDay = this.days.reduce((latest, day) => Math.max(latest, day), 0);
    const terms = reader.varint();
    const isSingle = this.version === FORMAT_OF_SINGLE_TERMS;
    const [termStarts, termEnds] = [new Uint32Array(terms), new Uint32Array(terms)];
    this.chunkFrequencies = new Uint32Array(terms);
    this.ends = new Uint32Array(isSingle ? 0 : terms);
    const singleDigests = new Uint8Array(isSingle ? terms * SINGLE_TERM_DIGEST_BYTES : 0);
    for (let place = 0; place < terms; place++) {
      termStarts[place] = reader.skipText();
      termEnds[place] = reader.offset;
      this.chunkFrequencies[place] = reader.varint();
      if (isSingle) singleDigests.set(reader.bytes(SINGLE_TERM_DIGEST_BYTES), place * SINGLE_TERM_DIGEST_BYTES);
      else this.ends[place] = (this.ends[place - 1] ?? 0) + reader.varint();
    }
    this.terms = new TermTable(this.header, termStarts, termEnds);
    if (isSingle) {
      this.rowStarts = termStarts.map((_, place) => place);
      this.rowDigests = singleDigests;
      return;
    }
    const rows = reader.varint();
    this.rowStarts = new Uint32Array(rows);
    this.rowDigests = new Uint8Array(rows * ROW_DIGEST_BYTES);
    let place = 0;
    for (let row = 0; row < rows; row++) {
      this.rowStarts[row] = place;
      place += reader.varint();
      this.rowDigests.set(reader.bytes(ROW_DIGEST_BYTES), row * ROW_DIGEST_BYTES);
    }
    if (place !== terms) throw new SegmentCorrupted('its rows do not hold its terms');
  }

  /**
   * Unpacks a header, which is kept and must not change.
   * @throws SegmentCorrupted when it does not have this digest or is not a header.
   */
  static open(header: Uint8Array, digest: Uint8Array): Segment {
    if (!Buffer.from(digest).equals(blake3(header))) throw new SegmentCorrupted('the header does not have its digest');
    try {
      return new Segment(header, Uint8Array.from(digest));
    } catch (error) {
      if (error instanceof RangeError) throw new SegmentCorrupted(error.message);
      throw error;
    }
  }

  /** In their order; decoded each time. */
  chunkIds(): string[] {
    return Array.from(this.idStarts, (_, ordinal) => this.chunkIdOf(ordinal));
  }

  get rowCount(): number {
    return this.rowStarts.length;
  }

  /** Of its rows, in their order. */
  get rowNames(): string[] {
    return Array.from(this.rowStarts, (place) => this.terms.termAt(place));
  }

  /** An estimate of the memory the header takes, in bytes. */
  get byteSize(): number {
    const { lengths, days, idStarts, idEnds, chunkFrequencies, ends, rowStarts, rowDigests } = this;
    const columns = [lengths, days, idStarts, idEnds, chunkFrequencies, ends, rowStarts, rowDigests];
    const ofColumns = columns.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const ordinals = (this.ordinals?.size ?? 0) * 45;
    return this.header.length + ofColumns + this.terms.byteSize + ordinals;
  }

  has(term: string): boolean {
    return this.terms.placeOf(term) !== undefined;
  }

  /** Chunks with the term, withdrawn ones too. */
  frequencyOf(term: string): number {
    const place = this.terms.placeOf(term);
    return place === undefined ? 0 : this.chunkFrequencies[place]!;
  }

  /** The number of the row with the term's postings, from 0; undefined of a term that the segment does not have. */
  rowOf(term: string): number | undefined {
    const place = this.terms.placeOf(term);
    return place === undefined ? undefined : this.rowAt(place);
  }

  /** The name of the row with the term's postings. */
  rowNameOf(term: string): string | undefined {
    const row = this.rowOf(term);
    return row === undefined ? undefined : this.nameOf(row);
  }

  chunkIdOf(ordinal: number): string {
    return this.header.toString('utf8', this.idStarts[ordinal], this.idEnds[ordinal]);
  }

  /** Undefined of a chunk that the segment does not have. The first call makes a table of all ids. */
  ordinalOf(chunkId: string): number | undefined {
    this.ordinals ??= new Map(this.chunkIds().map((id, ordinal) => [id, ordinal]));
    return this.ordinals.get(chunkId);
  }

  /**
   * Checks the row of a term against the header and unpacks the term's postings.
   * @throws SegmentCorrupted when the row is missing or not the one that was written.
   */
  openPostings(term: string, bytes: Uint8Array | undefined): PostingList {
    const place = this.terms.placeOf(term);
    if (place === undefined) throw new SegmentCorrupted(`"${term}" is no term of the segment`);
    const row = this.rowAt(place);
    const packed = this.sliceOf(place, row, this.checkRow(row, bytes));
    return unpack({ term, bytes: packed, count: this.chunkFrequencies[place]! }, this.lengths);
  }

  /**
   * Checks all rows and gives their postings, term after term in their order.
   * @throws SegmentCorrupted when a row is missing or not the one that was written.
   */
  *packedPostings(data: SegmentData): Generator<PackedPostings, undefined> {
    const rows = rowsOf(data);
    for (let row = 0; row < this.rowStarts.length; row++) {
      const first = this.rowStarts[row]!;
      const end = this.rowStarts[row + 1] ?? this.terms.size;
      const bytes = this.checkRow(row, rows.get(this.terms.termAt(first)));
      for (let place = first; place < end; place++) {
        const packed = this.sliceOf(place, row, bytes);
        yield { term: this.terms.termAt(place), bytes: packed, count: this.chunkFrequencies[place]! };
      }
    }
  }

  private rowAt(place: number): number {
    return firstAbove(this.rowStarts, place) - 1;
  }

  private nameOf(row: number): string {
    return this.terms.termAt(this.rowStarts[row]!);
  }

  private checkRow(row: number, bytes: Uint8Array | undefined): Uint8Array {
    if (bytes === undefined) throw new SegmentCorrupted(`the row "${this.nameOf(row)}" is missing`);
    const isSingle = this.version === FORMAT_OF_SINGLE_TERMS;
    const found = isSingle ? digestOfSingle(this.nameOf(row), bytes) : digestOf(bytes);
    const expected = this.rowDigests.subarray(row * found.length, (row + 1) * found.length);
    if (Buffer.compare(found, expected) !== 0)
      throw new SegmentCorrupted(`the row "${this.nameOf(row)}" does not have its digest`);
    return bytes;
  }

  private sliceOf(place: number, row: number, bytes: Uint8Array): Uint8Array {
    if (this.version === FORMAT_OF_SINGLE_TERMS) return bytes;
    const first = this.ends[this.rowStarts[row]! - 1] ?? 0;
    return bytes.subarray((this.ends[place - 1] ?? 0) - first, this.ends[place]! - first);
  }
}

/** All posting lists of a segment by term, unpacked. */
export const openAllPostings = (segment: Segment, data: SegmentData): Map<string, PostingList> =>
  new Map(Array.from(segment.packedPostings(data), (packed) => [packed.term, unpack(packed, segment.lengths)]));

function unpack({ term, bytes, count }: PackedPostings, lengths: Uint16Array): PostingList {
  const list = PostingList.decode(bytes, lengths);
  if (list.ordinals.length !== count) throw new SegmentCorrupted(`the postings of "${term}" are cut`);
  return list;
}

/** A segment's rows by name. */
export const rowsOf = ({ rows, offsets, postings }: SegmentData): Map<string, Uint8Array> =>
  new Map(rows.map((name, i) => [name, postings.subarray(offsets[i], offsets[i + 1])]));

const digestOf = (bytes: Uint8Array): Uint8Array => blake3(bytes).subarray(0, ROW_DIGEST_BYTES);

const digestOfSingle = (term: string, bytes: Uint8Array): Uint8Array =>
  blake3(Buffer.concat([Buffer.from(`${term}\0`), bytes])).subarray(0, SINGLE_TERM_DIGEST_BYTES);
