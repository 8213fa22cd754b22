import type { Peer, ToolCaller } from './peer.js';
import type { ToolArguments } from './tools/tool-arguments.js';
import type { Tool } from './tools/tool.js';

/** What a server is shown: the caller's own credential, which both servers take. */
export function credentialOf(
  caller: ToolCaller,
  { credential }: Peer,
  called?: { tool: Tool; given: ToolArguments },
): Record<string, string> {
  if (called?.tool.credential === 'none') return {};
  if (called?.tool.credential === 'session_token') return { authorization: `Bearer ${called.given.sessionToken}` };
  if (caller.authType === 'agent') return { authorization: `Bearer ${credential.bearer}` };
  return { 'x-tenant-id': caller.tenantId, 'x-api-key': credential.apiKey ?? credential.bearer ?? '' };
}
