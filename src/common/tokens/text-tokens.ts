import { countPiece } from './piece-tokens.js';
import { piecesOf } from './token-pieces.js';

/** The o200k_base tokens of a text; the time grows with the square of its longest piece. */
export function countText(text: string): number {
  let tokens = 0;
  for (const piece of piecesOf(text)) tokens += countPiece(piece);
  return tokens;
}

/** The same piece by piece, and of a piece of more characters than `most` part by part. */
export function* countsOf(text: string, most: number): Generator<{ characters: number; tokens: number }> {
  for (const piece of piecesOf(text)) {
    if (piece.length <= most) yield { characters: piece.length, tokens: countPiece(piece) };
    else for (const part of partsOf(piece, most)) yield { characters: part.length, tokens: countText(part) };
  }
}

/** No surrogate pair is divided. */
function* partsOf(piece: string, most: number): Generator<string> {
  for (let from = 0; from < piece.length;) {
    const isWithinPair = (piece.charCodeAt(from + most) & 0xfc00) === 0xdc00;
    const end = from + most + (isWithinPair ? 1 : 0);
    yield piece.slice(from, end);
    from = end;
  }
}
