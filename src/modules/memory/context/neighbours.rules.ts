/** What a fact is worth for a task. */
interface Scored {
  id: string;
  /** Of the search. */
  score: number;
}

interface Neighbour {
  of: string;
  id: string;
  /** 1 for the next one. */
  distance: number;
}

/** What one that stands so far from a match gets of the match's worth. */
const SHARES = [0.5, 0.3, 0.1] as const;

/**
 * How much each fact is worth for a task: what it says itself, and shares of what is said next to it, since an answer
 * often stands next to the words that were asked for. Squares are added: a sum of weak matches is no strong one.
 * @param neighbours facts that were stored next to those that were found
 * @returns from 0 to 1, by id
 */
export function worthOf(found: readonly Scored[], neighbours: readonly Neighbour[]): Map<string, number> {
  const most = Math.max(...found.map(({ score }) => score), Number.MIN_VALUE);
  const own = new Map(found.map(({ id, score }) => [id, (Math.max(score, 0) / most) ** 2]));
  const worth = new Map(own);
  for (const { of, id, distance } of neighbours)
    worth.set(id, (worth.get(id) ?? 0) + (SHARES[distance - 1] ?? 0) * (own.get(of) ?? 0));
  const greatest = Math.max(...worth.values(), Number.MIN_VALUE);
  return new Map([...worth].map(([id, value]) => [id, Math.sqrt(value / greatest)]));
}
