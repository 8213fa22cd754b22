import { countText } from '../../../../common/tokens/text-tokens.js';
import { piecesOf } from '../../../../common/tokens/token-pieces.js';
import { firstAbove } from '../../../../search/first-above.js';

/**
 * Longer pieces are cut: the encoder's time grows with the square of a piece, and a passage may end within one. A piece
 * has at least one token, so that n tokens never hold more than this times n code units.
 */
export const MAX_PIECE_UNITS = 32;
/** Bytes of words outside the vocabulary that the encoder is given for a document: about a microsecond each. */
const EFFORT = 32 * 1024;
/** One more for each so many code units of the document. */
const UNITS_AN_EFFORT = 16;
/** Pieces whose cost is remembered: the same words come again and again. */
const MAX_KNOWN = 65_536;

/**
 * The words of one document come again in the next: what they cost is found sooner, and is the same. When `recent` is
 * full it takes the place of `earlier`, from which what is asked for once more is taken over: a list of the order of
 * use costs more than it saves.
 */
let recent = new Map<string, number>();
let earlier = new Map<string, number>();

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
  private readonly costs = new Map<string, number>();
  private effort: number;

  constructor(private readonly text: string) {
    this.effort = EFFORT + Math.floor(text.length / UNITS_AN_EFFORT);
    let sum = 0;
    let end = 0;
    for (const piece of piecesOf(text))
      for (const part of partsOf(piece)) {
        this.sums.push((sum += this.costOf(part)));
        this.ends.push((end += part.length));
      }
  }

  /** The tokens of `text.slice(start, end)`. */
  count(start: number, end: number): number {
    if (start >= end) return 0;
    const first = this.pieceAt(start);
    const last = this.pieceAt(end - 1);
    if (first === last) return this.costOf(this.text.slice(start, end));
    return (
      this.restOf(first, start) + this.between(first, last) + this.costOf(this.text.slice(this.startOf(last), end))
    );
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
    const least = this.costOf(this.text.slice(this.startOf(last), end)) + (this.sums[last - 1] ?? 0) - tokens;
    const first = firstAbove(this.sums, least - 1);
    return first >= last ? this.startOf(last) : this.ends[first]!;
  }

  /** What is left of a piece from `start` on. */
  private restOf(piece: number, start: number): number {
    return this.costOf(this.text.slice(start, this.ends[piece]));
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

  private costOf(piece: string): number {
    const known = this.costs.get(piece);
    if (known !== undefined) return known;
    const cost = this.effort > 0 ? costByEncoder(piece) : costByCharacter(piece);
    this.effort -= cost === 1 ? 1 : Buffer.byteLength(piece);
    if (this.costs.size < MAX_KNOWN) this.costs.set(piece, cost);
    return cost;
  }
}

/** A piece, or its parts of at most MAX_PIECE_UNITS, no surrogate pair divided. */
function partsOf(piece: string): string[] {
  if (piece.length <= MAX_PIECE_UNITS) return [piece];
  const parts: string[] = [];
  for (let from = 0; from < piece.length; from += parts.at(-1)!.length) {
    const cut = from + MAX_PIECE_UNITS;
    const isWithinPair = (piece.charCodeAt(cut) & 0xfc00) === 0xdc00;
    parts.push(piece.slice(from, isWithinPair ? cut - 1 : cut));
  }
  return parts;
}

function costByEncoder(piece: string): number {
  const known = recent.get(piece);
  if (known !== undefined) return known;
  // What an offset leaves of a piece may be divided once more.
  const cost = earlier.get(piece) ?? countText(piece);
  if (recent.size >= MAX_KNOWN) [earlier, recent] = [recent, new Map<string, number>()];
  // A copy: a slice would keep its whole document in memory.
  recent.set(Buffer.from(piece).toString(), cost);
  return cost;
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
