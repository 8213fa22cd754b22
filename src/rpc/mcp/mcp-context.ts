import { ProtocolError, type CacheHint, type Prompt, type ReadResourceResult } from '@modelcontextprotocol/server';

/** JSON-RPC 2.0 section 5.1. */
const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

/** What depends on who asks, and may change at any time. */
const OWN: CacheHint = { ttlMs: 0, cacheScope: 'private' };

/** How long lists and resources may be kept: not at all. The templates come with the version of the service. */
export const CONTEXT_CACHE = {
  'prompts/list': OWN,
  'resources/list': OWN,
  'resources/read': OWN,
  'resources/templates/list': { ttlMs: 300_000, cacheScope: 'public' },
} as const;

/** What is said of both endpoints: nothing is announced, a client lists again. */
export const CONTEXT_CAPABILITIES = {
  prompts: { listChanged: false },
  resources: { listChanged: false, subscribe: false },
} as const;

/** A text that a client puts into the conversation as its user's. */
export const promptOf = (description: string, text: string) => ({
  description,
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
});

export const textResource = (uri: string, mimeType: string, text: string): ReadResourceResult => ({
  contents: [{ uri, mimeType, text }],
});

export const promptUnknown = (name: string): ProtocolError =>
  new ProtocolError(INVALID_PARAMS, `Unknown prompt: ${name.slice(0, 100)}`);

export const argumentMissing = ({ name }: Prompt, argument: string): ProtocolError =>
  new ProtocolError(INVALID_PARAMS, `The prompt ${name} needs the argument ${argument}`);

/** As the protocol asks for it (2026-07-28, server/resources). */
export const resourceUnknown = (uri: string): ProtocolError =>
  new ProtocolError(INVALID_PARAMS, 'Resource not found', { uri: uri.slice(0, 500) });

/** What the route behind it answered in place of the content. */
export function contextFailure(status: number, problem: unknown): ProtocolError {
  const { title = 'Failed', detail } = (problem ?? {}) as { title?: string; detail?: string };
  // What the route calls its body, its client calls arguments.
  const said = detail?.replace(/(^|; )(?:body|query|path)\./g, '$1');
  return new ProtocolError(codeOf(status), said === undefined ? title : `${title}: ${said}`, { problem });
}

function codeOf(status: number): number {
  if (status >= 500) return INTERNAL_ERROR;
  return status === 400 || status === 404 ? INVALID_PARAMS : INVALID_REQUEST;
}
