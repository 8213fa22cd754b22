/**
 * Parts a list so that no part holds two of one name, those of a name in their order: for functions of the database
 * that store part after part, each part in one statement.
 */
export function inRounds<T>(list: readonly T[], nameOf: (item: T) => readonly string[]): T[][] {
  const seen = new Map<string, number>();
  const rounds: T[][] = [];
  for (const item of list) {
    const name = JSON.stringify(nameOf(item));
    const round = seen.get(name) ?? 0;
    seen.set(name, round + 1);
    (rounds[round] ??= []).push(item);
  }
  return rounds;
}
