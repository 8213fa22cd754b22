import { compared, shortName } from './extraction/extraction.rules.js';

/** A current fact that everybody sees. */
export interface StoredStatement {
  fact_id: string;
  entity: string;
  key: string;
  value: string;
  stored_at: Date;
  valid_to: Date | null;
}

type ReviewKind = 'expired' | 'near_duplicate' | 'contradiction';

/** That somebody should look at a fact, and maybe retire it. */
export interface Review {
  kind: ReviewKind;
  fact: StoredStatement;
  /** The newer fact that says the same or contradicts it. */
  other?: StoredStatement;
}

/** Facts of one entity that are compared with each other: the newest. */
const MAX_OF_ENTITY = 200;
/** Words that two values share, of all that they have, for them to be nearly the same; shorter ones must be equal. */
const ALIKE = 0.85;
const MIN_WORDS = 4;

/** A fact with what of it is compared. */
interface Comparable {
  readonly fact: StoredStatement;
  readonly name: string;
  readonly value: string;
  readonly words: ReadonlySet<string>;
}

/** What of these facts is to be looked at; each fact once, the older one of two. */
export function* reviewsOf(facts: readonly StoredStatement[], now: Date): Generator<void, Review[]> {
  const isOver = ({ valid_to }: StoredStatement): boolean => valid_to !== null && valid_to <= now;
  const reviews = facts.filter(isOver).map((fact): Review => ({ kind: 'expired', fact }));
  const standing = facts.filter((fact) => !isOver(fact));
  for (const group of groupsOf(standing)) yield* reviewGroup(group, reviews);
  return reviews;
}

/** Facts whose entities are spelled alike, newest first. */
function groupsOf(facts: readonly StoredStatement[]): StoredStatement[][] {
  const groups = Map.groupBy(facts, ({ entity }) => compared(entity));
  return [...groups.values()]
    .filter(({ length }) => length > 1)
    .map((group) => group.toSorted((a, b) => b.stored_at.getTime() - a.stored_at.getTime()).slice(0, MAX_OF_ENTITY));
}

function* reviewGroup(group: readonly StoredStatement[], reviews: Review[]): Generator<void> {
  const newer: Comparable[] = [];
  for (const fact of group) {
    const one = comparableOf(fact);
    for (const other of newer) {
      yield;
      const kind = kindOf(one, other);
      if (!kind) continue;
      reviews.push({ kind, fact, other: other.fact });
      break;
    }
    newer.push(one);
  }
}

function comparableOf(fact: StoredStatement): Comparable {
  const value = compared(fact.value);
  return { fact, name: shortName(fact.key), value, words: new Set(value.match(/[\p{L}\p{N}]+/gu)) };
}

function kindOf(a: Comparable, b: Comparable): ReviewKind | undefined {
  if (a.value === b.value || isAlike(a.words, b.words)) return 'near_duplicate';
  return a.name === b.name ? 'contradiction' : undefined;
}

function isAlike(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [fewer, more] = a.size < b.size ? [a, b] : [b, a];
  // No more can be shared than the one with fewer words has.
  if (fewer.size < MIN_WORDS || fewer.size / more.size < ALIKE) return false;
  let shared = 0;
  for (const word of fewer) if (more.has(word)) shared += 1;
  return shared / (fewer.size + more.size - shared) >= ALIKE;
}
