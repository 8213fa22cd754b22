import type { OutlinePassage } from './passages.types.js';

/** Texts that are read to choose one of, at most. */
const MAX_CANDIDATES = 12;
/** How far a passage under another heading may stand from where the old one stood. */
const MAX_SHIFT = 4;
/** The share of words that a passage under another heading must have in common with the old one. */
const MIN_OVERLAP = 0.25;

/** A passage that may stand in the place of another. */
export interface PlaceCandidate extends OutlinePassage {
  /** Under the same headings. */
  isSamePlace: boolean;
}

/**
 * Passages of another version that may stand in the place of one: those under its headings, nearest first; where there
 * are none, those about as far into the document. What both versions have stands in its own place.
 * @param here the passages of its own version
 */
export function candidatesFor(
  passage: OutlinePassage,
  here: readonly OutlinePassage[],
  there: readonly OutlinePassage[],
): PlaceCandidate[] {
  const kept = new Set(here.map(({ contentHash }) => contentHash));
  kept.delete(passage.contentHash);
  const distance = ({ ordinal }: OutlinePassage): number => Math.abs(ordinal - passage.ordinal);
  const fresh = there
    .filter(({ contentHash }) => !kept.has(contentHash))
    .sort((a, b) => distance(a) - distance(b) || a.ordinal - b.ordinal);
  const same = fresh.find(({ contentHash }) => contentHash === passage.contentHash);
  if (same) return [{ ...same, isSamePlace: true }];
  const headings = JSON.stringify(passage.headingPath);
  const under = fresh.filter(({ headingPath }) => JSON.stringify(headingPath) === headings);
  const isSamePlace = under.length > 0;
  const near = isSamePlace ? under : fresh.filter((one) => distance(one) <= MAX_SHIFT);
  return near.slice(0, MAX_CANDIDATES).map((one) => ({ ...one, isSamePlace }));
}

/** The candidate that has most words in common with the text; of equal ones the first. */
export function bestOf<C extends { content: string; isSamePlace: boolean }>(
  content: string,
  candidates: readonly C[],
): C | null {
  const words = wordsOf(content);
  let best: { candidate: C; overlap: number } | null = null;
  for (const candidate of candidates) {
    const overlap = overlapOf(words, wordsOf(candidate.content));
    if (!candidate.isSamePlace && overlap < MIN_OVERLAP) continue;
    if (best === null || overlap > best.overlap) best = { candidate, overlap };
  }
  return best?.candidate ?? null;
}

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

/** Of the words of both, the share that both have (Dice). */
function overlapOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return a.size + b.size === 0 ? 0 : (2 * shared) / (a.size + b.size);
}
