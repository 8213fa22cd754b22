/** A ranking is document ids, best first, each once. `grades` are the judgements of one query. */
type Grades = ReadonlyMap<string, number>;

/**
 * Normalised discounted cumulative gain at k with linear gain (Järvelin and Kekäläinen 2002, discount log2(rank + 1),
 * as trec_eval's ndcg_cut):
 * from 0 to 1, where 1 is the best order there is. The grade itself is the gain.
 */
export function ndcg(ranking: readonly string[], grades: Grades, k: number): number {
  const gains = ranking.slice(0, k).map((id) => Math.max(grades.get(id) ?? 0, 0));
  const ideal = [...grades.values()].filter((grade) => grade > 0).sort((a, b) => b - a);
  const best = discounted(ideal.slice(0, k));
  return best === 0 ? 0 : discounted(gains) / best;
}

const discounted = (gains: readonly number[]): number =>
  gains.reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);

/** The share of the relevant documents (grade above 0) among the first k. */
export function recall(ranking: readonly string[], grades: Grades, k: number): number {
  const relevant = [...grades].filter(([, grade]) => grade > 0);
  const first = new Set(ranking.slice(0, k));
  return relevant.length === 0 ? 0 : relevant.filter(([id]) => first.has(id)).length / relevant.length;
}

/** Passages, best first, as documents: each stands where its best passage stands. */
export function documentsOf(passages: readonly { docId: string }[]): string[] {
  return [...new Set(passages.map(({ docId }) => docId))];
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The value below which a share q of the values lies, by the nearest rank. `sorted` ascends. */
export function quantile(sorted: ArrayLike<number>, q: number): number {
  return sorted.length === 0 ? Number.NaN : sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)]!;
}

/** Milliseconds, to a microsecond. */
export const toMicroseconds = (milliseconds: number): number => Math.round(milliseconds * 1_000) / 1_000;
