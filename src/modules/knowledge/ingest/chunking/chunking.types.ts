import type { TokenMeter } from './token-meter.js';

/** How a document's content is read. */
export type ContentFormat = 'text' | 'markdown' | 'html';

/**
 * `heading` stays with what follows it, `prose` is divided at sentences, `lines` (lists, tables, code) is divided at
 * line ends.
 */
export type BlockKind = 'heading' | 'prose' | 'lines';

/** A structural unit of the extracted text: `text.slice(start, end)`, in UTF-16 code units. */
export interface Block {
  readonly start: number;
  readonly end: number;
  readonly kind: BlockKind;
  /**
   * Headings above this block, outermost first; a heading's own text is the last member. Blocks of one section share
   * the array.
   */
  readonly headingPath: readonly string[];
}

/**
 * What extraction makes of a document: the readable text, its blocks (in order, leaving out nothing but white space)
 * and the way back to the source. For text and Markdown `text` is the source itself and the mapping the identity.
 */
export interface ExtractedText {
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly tokens: TokenMeter;
  /** The smallest stretch of the source that holds `text.slice(start, end)`, as [start, end). */
  sourceRange(start: number, end: number): [number, number];
}

/** A stretch of the extracted text that becomes one passage; `end` is exclusive, units are UTF-16 code units. */
export interface ChunkSpan {
  readonly start: number;
  readonly end: number;
  readonly headingPath: readonly string[];
}

/**
 * The largest chunk, in tokens of o200k_base (decision D16: 200 to 400). Nothing exceeds it but a single grapheme that
 * alone is larger.
 */
export const MAX_CHUNK_TOKENS = 400;
/** From this size on a heading starts a new chunk. */
export const MIN_CHUNK_TOKENS = 200;
/**
 * A block that does not fit into one chunk is divided evenly into parts of about this size, which leaves space for the
 * overlap.
 */
export const SPLIT_TOKENS = 320;
/** How much of the preceding text a chunk may repeat, at most. */
export const OVERLAP_TOKENS = 40;
