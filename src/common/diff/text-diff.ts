import { diffWordsWithSpace } from 'diff';
import type { DIFF_PARTS } from './text-diff.types.js';

/** Words that two texts do not share, until the comparison is given up: its time grows with the square of them. */
const MAX_EDITS = 400;
/** Texts of one list that are compared word by word; further ones are shown whole. */
const MAX_COMPARED = 200;

/** A run of words, and on which side it stands. */
export interface DiffPart {
  kind: (typeof DIFF_PARTS)[number];
  text: string;
}

/** Word by word, spaces as they stand. Texts that share next to nothing are shown whole, one after the other. */
export function diffTexts(before: string, after: string): DiffPart[] {
  if (before === after) return before === '' ? [] : [{ kind: 'same', text: before }];
  const changes = diffWordsWithSpace(before, after, { maxEditLength: MAX_EDITS });
  if (changes === undefined) return wholeTexts(before, after);
  return changes.map(({ added, removed, value }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value,
  }));
}

const wholeTexts = (before: string, after: string): DiffPart[] => [
  { kind: 'removed', text: before },
  { kind: 'added', text: after },
];

/** What is compared by its id. */
export interface Identified {
  readonly id: string;
  readonly text: string;
}

interface ChangedText {
  id: string;
  before: string;
  after: string;
  parts: DiffPart[];
}

export interface ListDiff<T extends Identified> {
  added: T[];
  removed: T[];
  changed: ChangedText[];
  /** How many are on both sides with the same text. */
  unchanged: number;
}

/** Two lists by the ids of their items, in the order in which they stand: of the newer one, then of the older. */
export function diffLists<T extends Identified>(before: readonly T[], after: readonly T[]): ListDiff<T> {
  const old = new Map(before.map((item) => [item.id, item]));
  const now = new Map(after.map((item) => [item.id, item]));
  const both = after.flatMap((item) => {
    const was = old.get(item.id);
    return was ? [{ id: item.id, before: was.text, after: item.text }] : [];
  });
  const changed = both.filter((item) => item.before !== item.after);
  return {
    added: after.filter(({ id }) => !old.has(id)),
    removed: before.filter(({ id }) => !now.has(id)),
    changed: changed.map((item, place) => ({
      ...item,
      parts: (place < MAX_COMPARED ? diffTexts : wholeTexts)(item.before, item.after),
    })),
    unchanged: both.length - changed.length,
  };
}
