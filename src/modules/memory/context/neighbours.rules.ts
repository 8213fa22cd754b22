import { shareFor } from './relevance.rules.js';

/** A fact that was found for a task. */
interface Scored {
  id: string;
  /** Of the search. */
  score: number;
}

interface Neighbour {
  of: string;
  id: string;
  /** 1 for the one stored right after it, -1 for the one right before. */
  distance: number;
}

/** What is known of a fact by its text. */
interface Read {
  isQuestion: boolean;
  /** What its worth is multiplied by. */
  factor: number;
}

/**
 * How much each fact is worth for a task: what it says itself, and shares of what is said next to it, since an answer
 * often stands next to the words that were asked for. Squares are added: a sum of weak matches is no strong one.
 * @param neighbours facts that were stored next to those that were found
 * @param texts of those that are read; what is not among them is worth nothing more
 * @returns from 0 to 1, by id
 */
export function worthOf(
  found: readonly Scored[],
  neighbours: readonly Neighbour[],
  texts: ReadonlyMap<string, Read> = new Map(),
): Map<string, number> {
  const most = Math.max(...found.map(({ score }) => score), Number.MIN_VALUE);
  const own = new Map(found.map(({ id, score }) => [id, (Math.max(score, 0) / most) ** 2]));
  const worth = new Map(own);
  for (const { of, id, distance } of neighbours)
    worth.set(id, (worth.get(id) ?? 0) + shareFor(distance, texts.get(of)?.isQuestion ?? false) * (own.get(of) ?? 0));
  for (const [id, value] of worth) worth.set(id, value * (texts.get(id)?.factor ?? 1));
  const greatest = Math.max(...worth.values(), Number.MIN_VALUE);
  return new Map([...worth].map(([id, value]) => [id, Math.sqrt(value / greatest)]));
}
