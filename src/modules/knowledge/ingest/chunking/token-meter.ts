import { countText } from '../../../../common/tokens/text-tokens.js';
import { endOfPiece } from '../../../../common/tokens/token-pieces.js';
import { firstAbove } from '../../../../search/first-above.js';
import { SpanTable } from '../../../../search/span-table.js';

/**
 * Longer pieces are cut: the encoder's time grows with the square of a piece, and a passage may end within one. A piece
 * has at least one token, so that n tokens never hold more than this times n code units.
 */
export const MAX_PIECE_UNITS = 32;
/** Bytes of words outside the vocabulary that the encoder is given for a document: about a microsecond each. */
const EFFORT = 32 * 1024;
/** One more for each so many code units of the document. */
const UNITS_AN_EFFORT = 16;
/** Pieces of a document whose cost is remembered while it is measured. */
const MAX_KNOWN = 65_536;
/** Pieces of all documents whose cost is remembered when the next one begins. */
const MAX_REMEMBERED = 2 * MAX_KNOWN;

/**
 * The words of one document come again in the next. By the number of a piece, its cost and the last document that had
 * it.
 */
const pieces = new SpanTable();
let costs: number[] = [];
let lastDocuments: number[] = [];
let documents = 0;

/** What each code point costs alone, as far as it was asked for; 0: not yet. The same in every document. */
const ofCodePoint = new Uint8Array(0x110000);

/**
 * The o200k_base tokens of any stretch of a text (decision D16). The text is divided once into the pieces that the
 * encoding divides it into anyway, and each piece is counted; what lies between two offsets is then a difference of two
 * sums, and the pieces that an offset cuts are counted again. What words outside the vocabulary may take of the encoder
 * is bounded by counts, never by clocks, so that the same text always has the same tokens: beyond the bound such a word
 * costs what its characters cost one by one, which is more.
 */
export class TokenMeter {
  /** Where each piece ends, and what it and all before it cost. */
  private readonly ends: number[] = [];
  private readonly sums: number[] = [];
  private readonly document = ++documents;
  private known = 0;
  private effort: number;

  constructor(private readonly text: string) {
    if (pieces.size > MAX_REMEMBERED) forgetPieces();
    this.effort = EFFORT + Math.floor(text.length / UNITS_AN_EFFORT);
    for (let start = 0; start < text.length; start = this.ends.at(-1)!) this.addPiece(start, endOfPiece(text, start));
  }

  /** The tokens of `text.slice(start, end)`. */
  count(start: number, end: number): number {
    if (start >= end) return 0;
    const first = this.pieceAt(start);
    const last = this.pieceAt(end - 1);
    if (first === last) return this.costOf(start, end);
    return this.restOf(first, start) + this.between(first, last) + this.costOf(this.startOf(last), end);
  }

  /**
   * The largest offset up to `end` at which a piece ends such that `text.slice(start, offset)` has at most `tokens`; at
   * least one piece.
   */
  advance(start: number, end: number, tokens: number): number {
    const first = this.pieceAt(start);
    const most = tokens - this.restOf(first, start) + this.sums[first]!;
    const over = firstAbove(this.sums, most, first);
    return Math.min(end, this.ends[Math.max(first, over - 1)]!);
  }

  /** The smallest offset at which a piece begins such that `text.slice(offset, end)` has at most `tokens`. */
  retreat(end: number, tokens: number): number {
    const last = this.pieceAt(end - 1);
    const least = this.costOf(this.startOf(last), end) + (this.sums[last - 1] ?? 0) - tokens;
    const first = firstAbove(this.sums, least - 1);
    return first >= last ? this.startOf(last) : this.ends[first]!;
  }

  private addPiece(start: number, end: number): void {
    let sum = this.sums.at(-1) ?? 0;
    for (let from = start; from < end;) {
      const to = endOfPart(this.text, from, end);
      this.sums.push((sum += this.costOf(from, to)));
      this.ends.push(to);
      from = to;
    }
  }

  /** What is left of a piece from `start` on. */
  private restOf(piece: number, start: number): number {
    return this.costOf(start, this.ends[piece]!);
  }

  /** The pieces after `first` and before `last`. */
  private between(first: number, last: number): number {
    return this.sums[last - 1]! - this.sums[first]!;
  }

  private startOf(piece: number): number {
    return piece === 0 ? 0 : this.ends[piece - 1]!;
  }

  private pieceAt(offset: number): number {
    return firstAbove(this.ends, offset);
  }

  /** Of a piece, or of what an offset leaves of one, which the encoding may divide once more. */
  private costOf(start: number, end: number): number {
    const known = pieces.find(this.text, start, end);
    if (known !== undefined && lastDocuments[known] === this.document) return costs[known]!;
    if (this.effort <= 0) return costByCharacter(this.text.slice(start, end));
    const number = known ?? remember(this.text, start, end);
    const cost = costs[number]!;
    this.effort -= cost === 1 ? 1 : Buffer.byteLength(this.text.slice(start, end));
    if (this.known++ < MAX_KNOWN) lastDocuments[number] = this.document;
    return cost;
  }
}

/** The end of a piece, or of its first part of at most MAX_PIECE_UNITS, no surrogate pair divided. */
function endOfPart(text: string, start: number, end: number): number {
  const cut = start + MAX_PIECE_UNITS;
  if (end <= cut) return end;
  const isWithinPair = (text.charCodeAt(cut) & 0xfc00) === 0xdc00;
  return isWithinPair ? cut - 1 : cut;
}

function remember(text: string, start: number, end: number): number {
  const number = pieces.add(text, start, end);
  costs[number] = countText(text.slice(start, end));
  lastDocuments[number] = 0;
  return number;
}

function forgetPieces(): void {
  pieces.clear();
  costs = [];
  lastDocuments = [];
}

function costByCharacter(piece: string): number {
  let cost = 0;
  for (const character of piece) {
    const point = character.codePointAt(0)!;
    ofCodePoint[point] ||= countText(character);
    cost += ofCodePoint[point];
  }
  return cost;
}
