import type { AuthInfo, McpHttpHandler } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { findExcess } from '../../common/http/json-body.js';
import { decodeUtf8 } from '../../common/http/utf8.js';

/** One HTTP request of the Model Context Protocol. */
export interface McpExchange {
  request: FastifyRequest;
  /** Aborted when the client has gone. */
  signal: AbortSignal | undefined;
  /** Who speaks, as `extra.<name>` for whatever serves the request; the SDK hands it on untouched. */
  extra: Record<string, unknown>;
}

/** JSON-RPC 2.0 section 5.1. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const UNREADABLE = Symbol('unreadable');

/** What a POST to an MCP endpoint holds, or what is answered to one that cannot be read. */
export type ParsedMcp = { refusal: Response } | { refusal?: undefined; parsed: unknown };

/** @param maxValues where another number than that of all JSON is meant */
export function readMcp(body: Buffer, maxValues?: number): ParsedMcp {
  if (body.length === 0) return { parsed: undefined };
  const excess = findExcess(body, undefined, maxValues);
  if (excess !== undefined) return { refusal: refusal(INVALID_REQUEST, `Invalid Request: the body ${excess}`) };
  const parsed = readJsonText(body);
  return parsed === UNREADABLE
    ? { refusal: refusal(PARSE_ERROR, 'Parse error: this is not JSON in UTF-8') }
    : { parsed };
}

/** Has a handler of the SDK answer. What was read of the body is not read again. */
export function answerMcp(
  handler: McpHttpHandler,
  parsed: unknown,
  { request, signal, extra }: McpExchange,
): Promise<Response> {
  const authInfo: AuthInfo = { token: '', clientId: '', scopes: [], extra };
  return handler.fetch(webRequest(request, signal), { parsedBody: parsed, authInfo });
}

const refusal = (code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status: 400 });

/** The request without its body, which has been read. */
function webRequest({ method, headers, host, url }: FastifyRequest, signal: AbortSignal | undefined): Request {
  const own = Object.entries(headers).filter(([name]) => !CREDENTIALS.has(name));
  const sent = own.flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one]));
  return new Request(new URL(url, `http://${host}`), { method, headers: sent, signal });
}

/** Of no use beyond the guards. */
const CREDENTIALS = new Set(['authorization', 'x-api-key', 'cookie', 'x-shield-approval-token']);

function readJsonText(body: Buffer): unknown {
  const text = decodeUtf8(body);
  try {
    return text === undefined ? UNREADABLE : (JSON.parse(text) as unknown);
  } catch {
    return UNREADABLE;
  }
}
