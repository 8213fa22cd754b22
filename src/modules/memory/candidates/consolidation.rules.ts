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

/** What of these facts is to be looked at; each fact once, the older one of two. */
export function reviewsOf(facts: readonly StoredStatement[], now: Date): Review[] {
  const reviews = new Map<string, Review>();
  const add = (review: Review) => {
    if (!reviews.has(review.fact.fact_id)) reviews.set(review.fact.fact_id, review);
  };
  for (const fact of facts) if (fact.valid_to !== null && fact.valid_to <= now) add({ kind: 'expired', fact });
  const standing = facts.filter(({ fact_id }) => !reviews.has(fact_id));
  for (const group of groupsOf(standing)) reviewGroup(group, add);
  return [...reviews.values()];
}

/** Facts whose entities are spelled alike, newest first. */
function groupsOf(facts: readonly StoredStatement[]): StoredStatement[][] {
  const groups = Map.groupBy(facts, ({ entity }) => compared(entity));
  return [...groups.values()]
    .filter(({ length }) => length > 1)
    .map((group) => group.toSorted((a, b) => b.stored_at.getTime() - a.stored_at.getTime()).slice(0, MAX_OF_ENTITY));
}

function reviewGroup(group: readonly StoredStatement[], add: (review: Review) => void): void {
  const words = new Map(group.map((fact) => [fact, new Set(compared(fact.value).match(/[\p{L}\p{N}]+/gu))]));
  for (const [place, fact] of group.entries()) {
    for (const newer of group.slice(0, place)) {
      const kind = kindOf(fact, newer, words);
      if (kind) add({ kind, fact, other: newer });
    }
  }
}

function kindOf(
  fact: StoredStatement,
  newer: StoredStatement,
  words: ReadonlyMap<StoredStatement, ReadonlySet<string>>,
): ReviewKind | undefined {
  if (compared(fact.value) === compared(newer.value)) return 'near_duplicate';
  const [a, b] = [words.get(fact)!, words.get(newer)!];
  const shared = [...a].filter((word) => b.has(word)).length;
  const isAlike = Math.min(a.size, b.size) >= MIN_WORDS && shared / (a.size + b.size - shared) >= ALIKE;
  if (isAlike) return 'near_duplicate';
  return shortName(fact.key) === shortName(newer.key) ? 'contradiction' : undefined;
}
