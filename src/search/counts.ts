/** How often each occurs, in the order in which they come first. */
export function countsOf<T>(list: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const one of list) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}
