import { findInexactness } from '../../../evidence/exact-json.js';
import { invalid } from '../../../common/problem/common-problems.js';

const MAX_VALUES = 4_000_000;
const A_PAGE = 1000;

/**
 * A pack has one digest everywhere. Payloads are as PUT takes and keeps them, numbers past 2^53 among them: what an
 * export wrote is not refused for it.
 * @throws ValidationFailed naming the number that has not
 */
export function checkExact(pack: Record<string, unknown>): void {
  const fault = findInexactness(pack, MAX_VALUES, 'payload');
  if (fault) throw invalid(`body.pack${fault.path}`, fault.message);
}

/** A list in parts, each for one statement. */
export function* pageOf<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += A_PAGE) yield items.slice(from, from + A_PAGE);
}
