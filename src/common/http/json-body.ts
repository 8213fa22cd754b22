import { invalid, MalformedRequest, type Issue } from '../problem/house-problems.js';
import { isStorableText } from './headers.js';
import { shapeOf } from './json-shape.js';
import { decodeUtf8 } from './utf8.js';

/** Deeper JSON than this is refused: nothing the API takes needs it, and recursive code downstream must not meet it. */
export const MAX_JSON_DEPTH = 32;

/** More values than this are refused: each takes many times the memory of its text. */
export const MAX_JSON_VALUES = 4_000_000;

/** JSON.parse needs seconds for text of no other merit than its depth; up to here the refusal can name the place. */
const DEPTH_WORTH_PARSING = 1_000;

/**
 * Reads a JSON request body (RFC 8259). Of duplicate members the last one counts, as in ECMAScript's JSON.parse.
 * @throws MalformedRequest for bytes that are not UTF-8 or not JSON; ValidationFailed naming the member for text with NUL or lone surrogates, names such as `__proto__`, depth or too many values
 */
export function readJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const { depth, values } = shapeOf(bytes);
  if (depth > DEPTH_WORTH_PARSING) throw invalid('body', TOO_DEEP);
  if (values > MAX_JSON_VALUES) throw invalid('body', `holds more than ${MAX_JSON_VALUES} values; send it in parts`);
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

/**
 * What of a JSON value cannot be taken: text that is not storable, names that every object has, numbers past the range, depth.
 * Looks no deeper than is allowed, and makes nothing on the way: a body may hold tens of millions of values.
 */
export function findFault(root: unknown, where: string): Issue | undefined {
  const fault = faultIn(root, 0);
  return fault && { path: `${where}${fault.path}`.slice(0, MAX_PATH), message: fault.message };
}

/** Names in a path may be as long as the body. */
const MAX_PATH = 500;

function faultIn(value: unknown, depth: number): Issue | undefined {
  if (typeof value === 'string') return isStorableText(value) ? undefined : { path: '', message: NOT_TEXT };
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : { path: '', message: TOO_GREAT };
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= MAX_JSON_DEPTH) return { path: '', message: TOO_DEEP };
  return Array.isArray(value) ? faultInList(value, depth) : faultInObject(value, depth);
}

function faultInList(list: readonly unknown[], depth: number): Issue | undefined {
  for (let index = 0; index < list.length; index += 1) {
    const fault = faultIn(list[index], depth + 1);
    if (fault) return { ...fault, path: `[${index}]${fault.path}` };
  }
  return undefined;
}

function faultInObject(members: object, depth: number): Issue | undefined {
  for (const name of Object.keys(members)) {
    if (isInherited(name) || !isStorableText(name))
      return { path: '', message: `has a member whose name is not allowed: ${JSON.stringify(name.slice(0, 40))}` };
    const fault = faultIn((members as Record<string, unknown>)[name], depth + 1);
    if (fault) return { ...fault, path: `.${name}${fault.path}` };
  }
  return undefined;
}

const TOO_DEEP = `is nested deeper than ${MAX_JSON_DEPTH} levels`;
const NOT_TEXT = 'holds a NUL character or a lone surrogate, which is not text';
/** A number past the range of a double would become Infinity, which JSON cannot say back. */
const TOO_GREAT = 'is a number too great to be held';

/** Names that every object has: libraries that make objects of the body would stumble over a member of such a name, or lose it. */
export const isInherited = (name: string): boolean => Object.hasOwn(Object.prototype, name);
