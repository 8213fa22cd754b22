import { parsedJson } from '../http/parsed-json.js';
import { isWrittenUuid } from '../ids/uuid-form.js';
import { invalid, type ValidationFailed } from '../problem/common-problems.js';

/**
 * The kinds of parts that a sort key is made of. A `bigint` travels as its digits: what PostgreSQL counts can be too
 * large for a number.
 */
interface Parts {
  text: string;
  integer: number;
  uuid: string;
  bigint: string;
}
type Shape = readonly (keyof Parts)[];
type Key<S extends Shape> = { -readonly [I in keyof S]: Parts[S[I]] };

/** A position in a list, opaque to clients: base64url of a JSON array of the last row's sort key. */
export const encodeCursor = (key: (string | number)[]): string =>
  Buffer.from(JSON.stringify(key)).toString('base64url');

/**
 * Reads a cursor back; there is none on the first page.
 * @param shape the kinds of the key's parts, in order
 * @param member what the list calls the parameter
 * @throws ValidationFailed naming the parameter when it was not made by encodeCursor with that shape
 */
export function decodeCursor<const S extends Shape>(
  cursor: string | undefined,
  shape: S,
  member = 'query.cursor',
): Key<S> | undefined {
  if (cursor === undefined) return undefined;
  const key = parsedJson(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (Array.isArray(key) && key.length === shape.length && key.every((part, i) => IS_OF_KIND[shape[i]!](part)))
    return key as unknown as Key<S>;
  throw notACursor(member);
}

/**
 * What a list shows of the rows it read, one more than the limit of them, and where the next page starts.
 * @param keyOf the sort key of a row
 */
export function takePage<Row>(
  rows: Row[],
  limit: number,
  keyOf: (row: Row) => (string | number)[],
): { page: Row[]; has_more: boolean; next_cursor: string | null } {
  const page = rows.slice(0, limit);
  const has_more = rows.length > limit;
  return { page, has_more, next_cursor: has_more ? encodeCursor(keyOf(page.at(-1)!)) : null };
}

const notACursor = (member: string): ValidationFailed =>
  invalid(member, 'is not a cursor of this list; leave it out to start at the first page');

const MAX_BIGINT = 2n ** 63n - 1n;

/** Whether PostgreSQL takes it as well: a forged cursor must not become a failure of the query. */
const IS_OF_KIND: Record<keyof Parts, (part: unknown) => boolean> = {
  text: (part) => typeof part === 'string' && part.isWellFormed() && !part.includes('\0'),
  integer: (part) => Number.isSafeInteger(part),
  uuid: (part) => typeof part === 'string' && isWrittenUuid(part),
  bigint: (part) => typeof part === 'string' && /^\d{1,19}$/.test(part) && BigInt(part) <= MAX_BIGINT,
};
