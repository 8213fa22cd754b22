import { invalid, MalformedRequest, type Issue } from '../problem/house-problems.js';
import { isStorableText } from './headers.js';
import { decodeUtf8 } from './utf8.js';

/** Deeper JSON than this is refused: nothing the API takes needs it, and recursive code downstream must not meet it. */
export const MAX_JSON_DEPTH = 32;

/**
 * Reads a JSON request body (RFC 8259). Of duplicate members the last one counts, as in ECMAScript's JSON.parse.
 * @throws MalformedRequest for bytes that are not UTF-8 or not JSON; ValidationFailed naming the member for text with NUL or lone surrogates, names such as `__proto__`, or depth
 */
export function readJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const value = parse(decode(bytes));
  const fault = findFault(value, 'body');
  if (fault) throw invalid(fault.path, fault.message);
  return value;
}

function decode(bytes: Buffer): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new MalformedRequest({}, 'The body is not valid UTF-8');
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new MalformedRequest(
      {},
      `The body is not valid JSON: ${(error as Error).message.replace(/"[^"]*"\.\.\. /, '').slice(0, 200)}`,
    );
  }
}

interface Place {
  value: unknown;
  path: string;
  depth: number;
}

/**
 * What of a JSON value cannot be taken: text that is not storable, names that every object has, numbers past the range, depth.
 * Walks without recursion, so that depth cannot exhaust the stack.
 */
export function findFault(root: unknown, where: string): Issue | undefined {
  const open: Place[] = [{ value: root, path: where, depth: 0 }];
  for (let place = open.pop(); place; place = open.pop()) {
    const fault = faultOf(place) ?? openMembers(place, open);
    if (fault) return fault;
  }
  return undefined;
}

function faultOf({ value, path, depth }: Place): Issue | undefined {
  if (typeof value === 'string' && !isStorableText(value))
    return { path, message: 'holds a NUL character or a lone surrogate, which is not text' };
  if (isContainer(value) && depth >= MAX_JSON_DEPTH)
    return { path: path.slice(0, 200), message: `is nested deeper than ${MAX_JSON_DEPTH} levels` };
  return undefined;
}

/** Names that every object has: libraries that make objects of the body would stumble over a member of such a name, or lose it. */
export const isInherited = (name: string): boolean => Object.hasOwn(Object.prototype, name);

/** A number past the range of a double would become Infinity, which JSON cannot say back. */
const isNumberTooGreat = (value: unknown) => typeof value === 'number' && !Number.isFinite(value);

function openMembers({ value, path, depth }: Place, open: Place[]): Issue | undefined {
  if (!isContainer(value)) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (isInherited(name) || !isStorableText(name))
      return { path, message: `has a member whose name is not allowed: ${JSON.stringify(name.slice(0, 40))}` };
    const at = Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`;
    if (isNumberTooGreat(member)) return { path: at, message: 'is a number too great to be held' };
    if (typeof member === 'string' || isContainer(member)) open.push({ value: member, path: at, depth: depth + 1 });
  }
  return undefined;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;
