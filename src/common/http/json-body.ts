import { isRecord } from '../../evidence/canonical-json.js';
import { invalid, MalformedRequest, type Issue } from '../problem/common-problems.js';
import { isStorableText } from './headers.js';
import type { SecretBytes } from '../fields/secret-bytes.js';
import { integersIn, shapeOf } from './json-shape.js';
import { takeSecrets } from './secret-members.js';
import { decodeUtf8 } from './utf8.js';

/** Deeper JSON than this is refused: nothing the API takes needs it, and recursive code downstream must not meet it. */
export const MAX_JSON_DEPTH = 32;

/**
 * For routes that take within lists what another route takes as its whole body (`depthLimit`): what that one took has
 * to fit into theirs.
 */
export const NESTED_JSON_DEPTH = 40;

/** More values than this are refused: each takes many times the memory of its text. */
export const MAX_JSON_VALUES = 4_000_000;

/**
 * Of a body that is digested before it is validated, for an idempotency key or the shield: over so many values that
 * takes tenths of a second.
 */
export const MAX_DIGESTED_VALUES = 200_000;

/** JSON.parse needs seconds for text of no other merit than its depth; up to here the refusal can name the place. */
const DEPTH_WORTH_PARSING = 1_000;

/** An object with more members is refused: what is as numerous as that belongs in a list. */
export const MAX_OBJECT_MEMBERS = 10_000;

/** A body of more members in all is refused, unless its route declares another bound (`memberLimit`). */
export const MAX_JSON_MEMBERS = 50_000;

/**
 * For routes that take masses of free JSON. JSON.parse stops the process for up to a quarter of a second over so many
 * with names all different.
 */
export const MANY_JSON_MEMBERS = 150_000;

/** What a route says of the JSON that it takes. */
export interface JsonMembers {
  /** Most members of all its objects together. */
  memberLimit?: number | undefined;
  /** How deep it may be nested. */
  depthLimit?: number | undefined;
  /** Whether its body is digested before it is validated. */
  idempotent?: boolean;
  /**
   * Members of the body that are whole numbers up to 2^64 - 1: a number past 2^53 comes as decimal text, with all its
   * digits.
   */
  uint64s?: readonly string[];
  /** Members of the body whose text comes as SecretBytes; blanks stand in its place in the bytes. */
  secrets?: readonly string[];
}

/**
 * Reads a JSON request body (RFC 8259). Of duplicate members the last one counts, as in ECMAScript's JSON.parse.
 * @throws MalformedRequest for bytes that are not UTF-8 or not JSON; ValidationFailed naming the member for text with
 * NUL or lone surrogates, names such as `__proto__`, depth, too many values or members
 */
export function readJson(
  bytes: Buffer,
  { memberLimit, depthLimit, idempotent: isDigested = false, uint64s = [], secrets = [] }: JsonMembers = {},
): unknown {
  if (bytes.length === 0) return undefined;
  const excess = findExcess(bytes, memberLimit, isDigested ? MAX_DIGESTED_VALUES : MAX_JSON_VALUES);
  if (excess !== undefined) throw invalid('body', excess);
  const taken = secrets.length > 0 ? takeSecrets(bytes, secrets) : NO_SECRETS;
  const value = parse(decode(bytes), secrets.length > 0);
  const fault = findFault(value, 'body', depthLimit);
  if (fault) throw invalid(fault.path, fault.message);
  restoreDigits(value, uint64s, bytes);
  if (isRecord(value)) for (const [name, secret] of taken) value[name] = secret;
  return value;
}

const NO_SECRETS: ReadonlyMap<string, SecretBytes> = new Map();

/** Looks at the bytes again only where a number lost digits: all other bodies pay nothing. */
function restoreDigits(value: unknown, uint64s: readonly string[], bytes: Buffer): void {
  const body = (typeof value === 'object' ? value : null) as Record<string, unknown> | null;
  const lossy = uint64s.filter(
    (name) => typeof body?.[name] === 'number' && Number(body[name]) > Number.MAX_SAFE_INTEGER,
  );
  if (body === null || lossy.length === 0) return;
  for (const [name, digits] of integersIn(bytes, lossy)) if (digits !== '') body[name] = digits;
}

/**
 * What a JSON text has more of than a request may have. Found in its bytes: JSON.parse would stop the process for
 * longer.
 */
export function findExcess(
  bytes: Uint8Array,
  maxMembers = MAX_JSON_MEMBERS,
  maxValues = MAX_JSON_VALUES,
): string | undefined {
  const most = { depth: DEPTH_WORTH_PARSING, values: maxValues, members: maxMembers, widest: MAX_OBJECT_MEMBERS };
  const { depth, values, members, widest } = shapeOf(bytes, most);
  if (depth > most.depth) return tooDeep(MAX_JSON_DEPTH);
  if (values > most.values) return `holds more than ${most.values} values; send it in parts`;
  if (widest > most.widest)
    return `has an object of more than ${most.widest} members; send what is numerous as a list, or in parts`;
  if (members > most.members) return `has objects of more than ${most.members} members together; send it in parts`;
  return undefined;
}

/** Whether JSON text is nested deeper, found in its bytes: what writes it into an answer must not meet it. */
export const isDeeperThan = (depth: number, bytes: Uint8Array): boolean =>
  shapeOf(bytes, { ...ENDLESS, depth }).depth > depth;
const ENDLESS = { values: Infinity, members: Infinity, widest: Infinity };

function decode(bytes: Buffer): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new MalformedRequest({}, 'The body is not valid UTF-8');
  return text;
}

/** @param isSecret what the parser says of the text repeats some of it */
function parse(text: string, isSecret: boolean): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (isSecret) throw new MalformedRequest({}, 'The body is not valid JSON');
    throw new MalformedRequest(
      {},
      `The body is not valid JSON: ${(error as Error).message.replace(/"[^"]*"\.\.\. /, '').slice(0, 200)}`,
    );
  }
}

/**
 * What of a JSON value cannot be taken: text that is not storable, names that every object has, numbers past the range,
 * depth. Looks no deeper than is allowed, and makes nothing on the way: a body may hold tens of millions of values.
 */
export function findFault(root: unknown, where: string, maxDepth = MAX_JSON_DEPTH): Issue | undefined {
  const fault = faultIn(root, 0, maxDepth);
  return fault && { path: `${where}${fault.path}`.slice(0, MAX_PATH), message: fault.message };
}

/** Names in a path may be as long as the body. */
const MAX_PATH = 500;

function faultIn(value: unknown, depth: number, maxDepth: number): Issue | undefined {
  if (typeof value === 'string') return isStorableText(value) ? undefined : { path: '', message: NOT_TEXT };
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : { path: '', message: TOO_GREAT };
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= maxDepth) return { path: '', message: tooDeep(maxDepth) };
  return Array.isArray(value) ? faultInList(value, depth, maxDepth) : faultInObject(value, depth, maxDepth);
}

function faultInList(list: readonly unknown[], depth: number, maxDepth: number): Issue | undefined {
  for (let index = 0; index < list.length; index += 1) {
    const fault = faultIn(list[index], depth + 1, maxDepth);
    if (fault) return { ...fault, path: `[${index}]${fault.path}` };
  }
  return undefined;
}

function faultInObject(members: object, depth: number, maxDepth: number): Issue | undefined {
  for (const name of Object.keys(members)) {
    if (isInherited(name) || !isStorableText(name))
      return { path: '', message: `has a member whose name is not allowed: ${JSON.stringify(name.slice(0, 40))}` };
    const fault = faultIn((members as Record<string, unknown>)[name], depth + 1, maxDepth);
    if (fault) return { ...fault, path: `.${name}${fault.path}` };
  }
  return undefined;
}

const tooDeep = (maxDepth: number): string => `is nested deeper than ${maxDepth} levels`;
const NOT_TEXT = 'holds a NUL character or a lone surrogate, which is not text';
/** A number past the range of a double would become Infinity, which JSON cannot say back. */
const TOO_GREAT = 'is a number too great to be held';

/**
 * Names that every object has: libraries that make objects of the body would stumble over a member of such a name, or
 * lose it.
 */
export const isInherited = (name: string): boolean => Object.hasOwn(Object.prototype, name);
