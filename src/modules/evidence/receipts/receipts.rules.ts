import { HEX_DIGEST } from '../../../evidence/digest-forms.js';
import { decodeCursor } from '../../../common/fields/cursor.js';
import { invalid } from '../../../common/problem/common-problems.js';
import type { Position } from './receipts.types.js';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Whether PostgreSQL reads it as well: Date.parse makes 2 March of 30 February, and takes the year 0. */
function isReal(instant: string): boolean {
  if (!INSTANT.test(instant) || instant.startsWith('0000') || Number.isNaN(Date.parse(instant))) return false;
  return new Date(instant).toISOString().slice(0, 19) === instant.slice(0, 19);
}

/** What a cursor holds of a row. */
export const cursorKeyOf = (row: {
  instant: string;
  family: string;
  stream: string | null;
  seq: number | null;
  digest: string;
}): (string | number)[] => [row.instant, row.family, row.stream ?? row.digest, row.seq ?? 0];

/** @throws ValidationFailed for what was not made by {@link cursorKeyOf} */
export function positionOf(before: string | undefined): Position | undefined {
  const key = decodeCursor(before, ['text', 'text', 'text', 'integer'], 'query.before');
  if (!key) return undefined;
  const [occurredAt, family, at, seq] = key;
  const isInstant = isReal(occurredAt);
  if (isInstant && family === 'execution') return { family, occurredAt, stream: at, seq };
  if (isInstant && family === 'retrieval' && HEX_DIGEST.test(at)) return { family, occurredAt, digest: at };
  throw invalid('query.before', 'is not a cursor of this list; leave it out to start at the newest');
}
