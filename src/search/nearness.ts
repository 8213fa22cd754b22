/**
 * How near each item is to a query among those that are ranked by meaning: (cosine - least) / (greatest - least); 1 for
 * all where they are equally near. Cosines of different models lie in different ranges; this does not.
 * @param cosines greatest first
 */
export function nearnessOf(cosines: readonly number[]): number[] {
  const greatest = cosines[0] ?? 0;
  const span = greatest - (cosines.at(-1) ?? 0);
  return cosines.map((cosine) => (span > 0 ? 1 - (greatest - cosine) / span : 1));
}
