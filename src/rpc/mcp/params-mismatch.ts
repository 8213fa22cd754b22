import { parsedJson } from '../../common/http/parsed-json.js';
import { isRecord } from '../../evidence/canonical-json.js';
import type { Issue } from '../../common/problem/common-problems.js';
import { typeText } from '../tools/argument-issues.js';

/** What the SDK says before what its validator found in the parameters of a call of a tool. */
const PREFIX = /^Invalid tools\/call request: (?=\[)/;
/** More say nothing that the first ones do not. */
const MAX_ISSUES = 5;

/** Types that the validator calls otherwise than JSON Schema does. */
const AS_IN_SCHEMAS: Record<string, string> = { record: 'object', int: 'integer' };

/**
 * What of the parameters of a request is of another type than the protocol has it, as the validator of the SDK found
 * it: its findings are the message of the error, as JSON.
 * @returns undefined for any other error
 */
export function findMismatch(error: unknown): Issue[] | undefined {
  const text = error instanceof Error ? error.message.replace(PREFIX, '') : '';
  if (!text.startsWith('[')) return undefined;
  const found = parsedJson(text);
  if (!Array.isArray(found) || found.length === 0 || !found.every(isFinding)) return undefined;
  return found.slice(0, MAX_ISSUES).map(issueOf);
}

interface Finding {
  path: (string | number)[];
  message: string;
  expected?: unknown;
}

const isFinding = (one: unknown): one is Finding =>
  isRecord(one) && Array.isArray(one['path']) && typeof one['message'] === 'string';

function issueOf({ path, message, expected }: Finding): Issue {
  // Names of arguments may be of any length.
  const place = path.map((step) => String(step).slice(0, 80)).join('.') || 'params';
  if (typeof expected !== 'string') return { path: place, message: `does not fit: ${message}` };
  const type = typeText(AS_IN_SCHEMAS[expected] ?? expected);
  const isMissing = message.endsWith('received undefined');
  return { path: place, message: isMissing ? `is required, and must be ${type}` : `must be ${type}` };
}
