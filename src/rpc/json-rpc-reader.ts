import { findExcess, findFault, MAX_DIGESTED_VALUES } from '../common/http/json-body.js';
import { decodeUtf8 } from '../common/http/utf8.js';
import { invalid, MalformedRequest } from '../common/problem/common-problems.js';
import { NO_ID, RPC_CODES, type MalformedCall, type RpcCall } from './json-rpc.js';

/**
 * More calls than this in one batch are refused: a batch is answered as a whole, and everything of it waits in memory.
 */
export const MAX_BATCH = 100;

/** What came in one payload. `isBatch`: it is answered by an array, whatever is in it. */
export interface RpcPayload {
  isBatch: boolean;
  members: (RpcCall | MalformedCall)[];
}

export const isMalformed = (member: RpcCall | MalformedCall): member is MalformedCall => 'problem' in member;

/**
 * Reads one payload (JSON-RPC 2.0, sections 4 and 6). A malformed member of a batch stands for itself and leaves the
 * others alone. Of duplicate members of an object the last one counts, as in the HTTP API. Never throws.
 */
export function readPayload(payload: Uint8Array | string): RpcPayload {
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
  const excess = findExcess(bytes, undefined, MAX_DIGESTED_VALUES);
  if (excess !== undefined) return single(notRequest(NO_ID, `the payload ${excess}`));
  const text = typeof payload === 'string' ? payload : decodeUtf8(payload);
  const value = text === undefined ? undefined : parse(text);
  if (text === undefined || !value) return single(unreadable(text === undefined ? 'UTF-8' : 'JSON'));
  const { root } = value;
  if (!Array.isArray(root)) return single(readMember(root, idsOf(text, [root])));
  if (root.length === 0) return single(notRequest(NO_ID, 'the batch is empty'));
  if (root.length > MAX_BATCH)
    return single(notRequest(NO_ID, `a batch holds at most ${MAX_BATCH} calls; send several batches`));
  const ids = idsOf(text, root);
  return { isBatch: true, members: root.map((member: unknown) => readMember(member, ids)) };
}

const single = (member: RpcCall | MalformedCall): RpcPayload => ({ isBatch: false, members: [member] });

function parse(text: string): { root: unknown } | undefined {
  try {
    return { root: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function readMember(member: unknown, ids: IdTexts): RpcCall | MalformedCall {
  if (typeof member !== 'object' || member === null || Array.isArray(member))
    return notRequest(NO_ID, 'a request is a JSON object');
  const { jsonrpc, id, method, params } = ownMembers(member);
  const idText = textOfId(member, id, ids);
  const wrong = (why: string) => notRequest(idText ?? NO_ID, why);
  if (jsonrpc !== '2.0') return wrong('jsonrpc must be "2.0"');
  if (typeof method !== 'string') return wrong('method must be a string');
  if (Object.hasOwn(member, 'id') && idText === undefined) return wrong('id must be a string, a number or null');
  if (params !== undefined && (typeof params !== 'object' || params === null)) return wrong('params must be an object');
  const known = idText === undefined ? {} : { id: idText };
  const fault = findFault(params, 'params');
  if (fault) return { ...known, code: RPC_CODES.invalidParams, problem: invalid(fault.path, fault.message) };
  return { ...known, method, ...(params === undefined ? {} : { params }) };
}

/** A member that every object inherits must not pass for one that was sent. */
function ownMembers(member: object): Record<'jsonrpc' | 'id' | 'method' | 'params', unknown> {
  const own = (name: string): unknown =>
    Object.hasOwn(member, name) ? (member as Record<string, unknown>)[name] : undefined;
  return { jsonrpc: own('jsonrpc'), id: own('id'), method: own('method'), params: own('params') };
}

/** The text of the ids that are numbers a double does not hold, by the object they are of. */
type IdTexts = Map<object, string>;

/** Reads the payload a second time, for the text of such ids; for all others there is nothing to do. */
function idsOf(text: string, members: unknown[]): IdTexts {
  const texts: IdTexts = new Map();
  const places = members.flatMap((member, index) => (hasUnsafeId(member) ? [index] : []));
  if (places.length === 0) return texts;
  const found = new Map<unknown, string>();
  const again = JSON.parse(text, function (this: unknown, key, value: unknown, context?: { source?: string }) {
    if (key === 'id' && typeof value === 'number' && context?.source !== undefined) found.set(this, context.source);
    return value;
  }) as unknown;
  const roots: unknown[] = Array.isArray(again) ? again : [again];
  for (const index of places) {
    const source = found.get(roots[index]);
    if (source !== undefined) texts.set(members[index] as object, source);
  }
  return texts;
}

function hasUnsafeId(member: unknown): boolean {
  const id = typeof member === 'object' && member !== null ? (member as { id?: unknown }).id : undefined;
  return typeof id === 'number' && (!Number.isSafeInteger(id) || Object.is(id, -0));
}

function textOfId(member: object, id: unknown, ids: IdTexts): string | undefined {
  if (id === null) return NO_ID;
  if (typeof id === 'string') return JSON.stringify(id);
  return typeof id === 'number' ? (ids.get(member) ?? JSON.stringify(id)) : undefined;
}

const unreadable = (what: string): MalformedCall => ({
  id: NO_ID,
  code: RPC_CODES.parseError,
  problem: new MalformedRequest({}, `Parse error: this is not ${what}`),
});

const notRequest = (id: string, why: string): MalformedCall => ({
  id,
  code: RPC_CODES.invalidRequest,
  problem: new MalformedRequest({}, `Invalid Request: ${why}`),
});
