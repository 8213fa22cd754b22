import { Injectable } from '@nestjs/common';
import { DELEGATED_CALLER_HEADER, DelegatedCallers } from '../common/keys/delegated-callers.js';
import type { Peer, ToolCaller } from './peer.js';
import type { ToolArguments } from './tools/tool-arguments.js';
import type { Tool } from './tools/tool.js';

/**
 * What a server is shown: the caller's own credential, which both servers take. An access token is for this service
 * alone and goes nowhere else: whose it is, is said in a signed header.
 */
@Injectable()
export class ServerCredentials {
  constructor(private readonly delegated: DelegatedCallers) {}

  of(
    { tenantId, principal, authType, role }: ToolCaller,
    { credential }: Peer,
    called?: { tool: Tool; given: ToolArguments },
  ): Record<string, string> {
    if (called?.tool.credential === 'none') return {};
    if (called?.tool.credential === 'session_token') return { authorization: `Bearer ${called.given.sessionToken}` };
    if (authType === 'agent') return { authorization: `Bearer ${credential.bearer}` };
    if (authType === 'seat' && role !== undefined && role !== 'discovery')
      return { [DELEGATED_CALLER_HEADER]: this.delegated.sign({ tenantId, principal, role }) };
    return { 'x-tenant-id': tenantId, 'x-api-key': credential.apiKey ?? credential.bearer ?? '' };
  }
}
