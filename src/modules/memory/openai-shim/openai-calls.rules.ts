import { findExcess } from '../../../common/http/json-body.js';
import type { OfferedTool } from '../../../common/contract/tool-dispatcher.js';

/** One call as OpenAI's APIs write it, in one of their two forms, or just name and arguments. */
export interface SentCall {
  id?: string | undefined;
  call_id?: string | undefined;
  type?: string | undefined;
  function?: { name: string; arguments?: unknown } | undefined;
  name?: string | undefined;
  arguments?: unknown;
}

/** A call that can be made, or what the model is answered in its place. */
export interface ReadCall {
  id: string;
  /** The form of the answer: a message of Chat Completions, or an item of Responses. */
  form: 'chat' | 'responses';
  name: string;
  given?: Record<string, unknown>;
  /** What is wrong with its arguments, which the model wrote. */
  fault?: string;
}

export interface CallFault {
  member: string;
  message: string;
}

/** @returns the calls, or what is wrong with what the program sent, not the model */
export function readCalls(body: SentCall & { tool_calls?: readonly SentCall[] | undefined }): ReadCall[] | CallFault {
  const { tool_calls: many, ...one } = body;
  const isOne = one.function !== undefined || one.name !== undefined;
  if (many !== undefined && isOne)
    return { member: 'body.tool_calls', message: 'comes alone, without a call next to it' };
  if (many === undefined && !isOne)
    return { member: 'body', message: 'names no call: send tool_calls, or function, or name and arguments' };
  const calls: ReadCall[] = [];
  for (const [place, sent] of (many ?? [one]).entries()) {
    const where = many ? `body.tool_calls[${place}]` : 'body';
    const read = readCall(sent, place, where);
    if ('member' in read) return read;
    if (calls.some(({ id }) => id === read.id))
      return { member: `${where}.id`, message: `is ${read.id.slice(0, 80)}, as that of another call` };
    calls.push(read);
  }
  return calls;
}

function readCall(sent: SentCall, place: number, where: string): ReadCall | CallFault {
  const called = sent.function ?? (sent.name === undefined ? undefined : { ...sent, name: sent.name });
  if (!called) return { member: where, message: 'is no call: it has neither function nor name' };
  const isItem = sent.call_id !== undefined;
  const id = sent.call_id ?? sent.id ?? `call_${place}`;
  const form = isItem ? 'responses' : 'chat';
  const read = readArguments(called.arguments);
  return { id, form, name: called.name, ...(typeof read === 'string' ? { fault: read } : { given: read }) };
}

/** OpenAI sends them as JSON in a text; models send an empty text where a function takes none. */
function readArguments(sent: unknown): Record<string, unknown> | string {
  if (sent === undefined || sent === null || sent === '') return {};
  const value = typeof sent === 'string' ? parse(sent) : { value: sent };
  if ('fault' in value) return value.fault;
  if (typeof value.value !== 'object' || value.value === null || Array.isArray(value.value))
    return 'must be a JSON object with the parameters of the function';
  return value.value as Record<string, unknown>;
}

function parse(text: string): { value: unknown } | { fault: string } {
  const excess = findExcess(Buffer.from(text));
  if (excess !== undefined) return { fault: excess };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { fault: 'is not JSON; send the parameters of the function as one JSON object' };
  }
}

/** A function as Chat Completions takes it in `tools`, or as Responses does: without the member in between. */
export function functionOf(tool: OfferedTool, form: 'chat' | 'responses'): object {
  const { name, description, parameters } = tool;
  const described = { name, description, parameters, ...(isStrict(parameters) ? { strict: true } : {}) };
  return form === 'chat'
    ? { type: 'function', function: described }
    : { type: 'function', strict: false, ...described };
}

const STRICT_MEMBERS = new Set([
  'type',
  'description',
  'enum',
  'const',
  'items',
  'properties',
  'required',
  'additionalProperties',
]);

/**
 * Whether the form "strict" of OpenAI takes the schema: every object is closed and asks for all its members, and no
 * other rule is in it. Where it does not, the schema is a description for the model, and the route checks.
 */
export function isStrict(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return false;
  const { properties, required = [], additionalProperties, items, ...rest } = schema as Record<string, unknown>;
  if (Object.keys(rest).some((name) => !STRICT_MEMBERS.has(name))) return false;
  if (items !== undefined && !isStrict(items)) return false;
  if (rest['type'] !== 'object') return true;
  const members = Object.entries((properties ?? {}) as Record<string, unknown>);
  const names = new Set(required as string[]);
  return additionalProperties === false && members.every(([name, member]) => names.has(name) && isStrict(member));
}
