import {
  CLIENT_CAPABILITIES_META_KEY,
  parseJSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  type JSONRPCMessage,
} from '@modelcontextprotocol/server';

/** Requests that only a client of the Model Context Protocol opens with. */
const OPENING_METHODS = new Set(['initialize', 'server/discover']);
/** What of the protocol's methods has no slash; the names of tools have none either. */
const PLAIN_METHODS = new Set(['initialize', 'ping']);

/** A cheap look before a line is read a second time. */
const MAY_OPEN = /"initialize"|"server\\?\/discover"|"io\.modelcontextprotocol\\?\//;

/** The message in a line. What else a line may hold (a batch, an id that is null, no JSON) is none of the protocol. */
export function readMessage(line: string): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/**
 * The message with which a conversation of the protocol begins: the 2025-11-25 handshake, a `server/discover`, or any
 * request that carries the envelope of 2026-07-28 in its `_meta`. `tools/list` and `tools/call` alone are plain
 * JSON-RPC (D26).
 */
export function findOpening(line: string): JSONRPCMessage | undefined {
  if (!MAY_OPEN.test(line)) return undefined;
  const message = readMessage(line);
  if (!message || !('method' in message)) return undefined;
  return OPENING_METHODS.has(message.method) || hasEnvelope(message) ? message : undefined;
}

/**
 * Whether a message of a conversation that has begun belongs to it. What calls a tool by its own name remains plain
 * JSON-RPC.
 */
export function belongsToConversation(message: JSONRPCMessage): boolean {
  if (!('method' in message)) return true;
  return PLAIN_METHODS.has(message.method) || message.method.includes('/') || hasEnvelope(message);
}

function hasEnvelope({ params }: { params?: { _meta?: unknown } }): boolean {
  const meta = params?._meta;
  if (typeof meta !== 'object' || meta === null) return false;
  return PROTOCOL_VERSION_META_KEY in meta || CLIENT_CAPABILITIES_META_KEY in meta;
}
