/** What is wrong with a JSON value, and the way to it from the value: '' or such as `.list[2].n`. */
export interface Inexactness {
  readonly path: string;
  readonly message: string;
}

export const LOST_DIGITS = 'is a whole number past 2^53 - 1, which lost digits; send it as text';

/**
 * Finds what keeps a JSON value from having one digest everywhere: a whole number past 2^53 - 1, of which other readers
 * know other digits. Values are also counted, lists and objects too, because what an encoder takes in memory for a
 * moment grows with them. Depth is bounded where bodies are read.
 *
 * @param free the name of members that are counted alone
 */
export function findInexactness(value: unknown, most: number, free?: string): Inexactness | undefined {
  const count = { left: most };
  const path = findLossyNumber(value, count, free, false);
  if (count.left < 0) return { path: '', message: `holds more than ${most} values; divide it` };
  if (path === undefined) return undefined;
  return { path, message: LOST_DIGITS };
}

function findLossyNumber(
  value: unknown,
  count: { left: number },
  free: string | undefined,
  isFree: boolean,
): string | undefined {
  count.left -= 1;
  if (typeof value === 'number') return isFree || !isLossy(value) ? undefined : '';
  if (typeof value !== 'object' || value === null) return undefined;
  for (const name of Object.keys(value)) {
    if (count.left < 0) return undefined;
    const rest = findLossyNumber((value as Record<string, unknown>)[name], count, free, isFree || name === free);
    if (rest !== undefined) return `${Array.isArray(value) ? `[${name}]` : `.${name}`}${rest}`;
  }
  return undefined;
}

const isLossy = (value: number): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);
