import type { FilePlace, LocatedRange, PassagePlace } from './locations.types.js';

/**
 * The place of `text.slice(start, end)`.
 * @param ranges in the order of the text, none overlapping another
 * @returns undefined where nothing of it has a place
 */
export function placeOf(ranges: readonly LocatedRange[], start: number, end: number): PassagePlace | undefined {
  const first = ranges[firstEndingAfter(ranges, start)];
  if (first === undefined || first.start >= end) return undefined;
  const at = firstEndingAfter(ranges, end - 1);
  const meets = at < ranges.length && ranges[at]!.start < end;
  // The end may stand behind the last range, or between two.
  return spanOf(placeIn(first), placeIn(ranges[meets ? at : at - 1]!));
}

function spanOf(from: FilePlace, to: FilePlace): PassagePlace {
  if (JSON.stringify(from) === JSON.stringify(to)) return from;
  if (from.cells !== undefined && to.cells !== undefined && from.sheet === to.sheet)
    return { ...from, cells: joinCells(from.cells, to.cells) };
  return { ...from, to };
}

const placeIn = ({ start: _start, end: _end, ...place }: LocatedRange): FilePlace => place;

/** The number of the first range that ends after an offset. */
function firstEndingAfter(ranges: readonly LocatedRange[], offset: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle]!.end > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The range from the first cell of one to the last cell of the other. */
function joinCells(from: string, to: string): string {
  const [first] = from.split(':');
  return `${first}:${to.split(':').at(-1)}`;
}

/** The number of a column by its name, from 1; 0 of none. */
export const columnNumber = (name: string): number =>
  [...name].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0);

/** The name of a column by its number from 0: A, B, … Z, AA. */
export function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}
