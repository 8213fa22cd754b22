import type { Choice } from './assembly.rules.js';
import type { ChosenItem, CountedCandidate, Span } from './context.types.js';

/** A line of up to so many UTF-16 units stays in one piece: what its second sentence says of the first is not lost. */
const MAX_LINE = 480;
/** Pieces of one passage at most; what comes after is part of the last. */
const MAX_PIECES = 64;
/** Stands for words that are left out. */
const GAP = '…';

const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });

/**
 * The pieces of a passage that say something by themselves: its lines, of long ones the sentences (UAX 29). They are in
 * their order and leave out nothing but white space.
 */
export function piecesOf(text: string): Span[] {
  const pieces = [...text.matchAll(/[^\n\r\u2028\u2029]+/g)].flatMap(({ 0: line, index }) =>
    line.length <= MAX_LINE ? trimmed(text, index, index + line.length) : sentencesOf(text, line, index),
  );
  if (pieces.length <= MAX_PIECES) return pieces;
  const rest = { start: pieces[MAX_PIECES - 1]!.start, end: pieces.at(-1)!.end };
  return [...pieces.slice(0, MAX_PIECES - 1), rest];
}

const sentencesOf = (text: string, line: string, at: number): Span[] =>
  [...segmenter.segment(line)].flatMap(({ segment, index }) => trimmed(text, at + index, at + index + segment.length));

function trimmed(text: string, from: number, to: number): Span[] {
  const words = text.slice(from, to);
  const start = from + words.length - words.trimStart().length;
  const end = from + words.trimEnd().length;
  return start < end ? [{ start, end }] : [];
}

/**
 * The items that were chosen, in the order in which something of each was chosen first; pieces of one item as one
 * excerpt. Its tokens are still those of the whole item.
 */
export function itemsOf(chosen: readonly Choice[]): ChosenItem[] {
  const byItem = new Map<CountedCandidate, Span[]>();
  for (const { item, piece } of chosen) byItem.set(item, [...(byItem.get(item) ?? []), ...(piece ? [piece] : [])]);
  return [...byItem].map(([{ pieces, ...item }, taken]) => {
    if (!pieces || taken.length === pieces.length) return item;
    const spans = joined(item.text, taken);
    return { ...item, text: excerptOf(item.text, spans), why: `parts of ${item.why}`, spans };
  });
}

/** Spans in their order, those with nothing but white space between them as one. */
function joined(text: string, spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last && text.slice(last.end, start).trim() === '') last.end = end;
    else all.push({ start, end });
  }
  return all;
}

/** Each span as it stands in the text, with a sign where words before, between or after them are left out. */
function excerptOf(text: string, spans: readonly Span[]): string {
  const isBlank = (from: number, to: number): boolean => text.slice(from, to).trim() === '';
  const before = isBlank(0, spans[0]!.start) ? '' : `${GAP} `;
  const after = isBlank(spans.at(-1)!.end, text.length) ? '' : ` ${GAP}`;
  return `${before}${spans.map(({ start, end }) => text.slice(start, end)).join(` ${GAP}\n`)}${after}`;
}
