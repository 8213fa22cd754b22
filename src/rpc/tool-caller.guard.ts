import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { BearersTaken } from '../common/contract/contract.js';
import { Unauthorized } from '../common/problem/common-problems.js';
import { PublicCallersService } from '../modules/shield/core/tool-calls/public-callers.service.js';
import type { Peer } from './peer.js';
import { ToolCallers } from '../common/keys/tool-callers.js';

/**
 * Who makes a call, whatever transport it came by. It fails closed: a peer that is not public and has no credential
 * that holds gets no further.
 * What a public peer may call is said by each method.
 */
@Injectable()
export class ToolCallerGuard implements CanActivate {
  constructor(
    private readonly callers: ToolCallers,
    private readonly publicCallers: PublicCallersService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const peer = context.switchToRpc().getContext<Peer>();
    peer.caller = peer.isPublic
      ? this.publicCallers.callerAt(peer.clientAddress)
      : await this.callers.find(peer.credential, BEARERS_TAKEN[peer.transport]);
    if (!peer.caller) throw new Unauthorized({}, 'Send x-tenant-id and x-api-key of the same tenant');
    return true;
  }
}

/** What stands for the two headers, by transport (D29). */
export const BEARERS_TAKEN: Record<Peer['transport'], BearersTaken> = {
  http: { agents: true },
  mcp: { agents: true, bearerKeys: true, accessTokens: true },
  nats: { agents: true },
  stream: {},
  stdio: {},
};
