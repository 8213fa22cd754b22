import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Unauthorized } from '../../common/problem/common-problems.js';
import { ServerSecret } from '../../common/sessions/server-secret.js';
import { ApprovalHandoverService } from '../../modules/shield/core/approvals/approval-handover.service.js';
import type { Peer } from '../peer.js';
import { BEARERS_TAKEN } from '../tool-caller.guard.js';
import { ToolCallers } from '../../common/keys/tool-callers.js';
import { failureOfProblem } from '../tools/tool-errors.js';
import { ApprovalRounds } from './approval-rounds.js';

/** The rounds of calls of the tool service that need an approval. */
@Injectable()
export class McpApprovals implements OnModuleInit {
  private key?: Buffer;

  constructor(
    private readonly secret: ServerSecret,
    private readonly callers: ToolCallers,
    private readonly handover: ApprovalHandoverService,
  ) {}

  async onModuleInit(): Promise<void> {
    this.key = await this.secret.keyFor('mcp-state');
  }

  /** @param peerOf who speaks */
  of(peerOf: () => Peer): ApprovalRounds {
    if (!this.key) throw new Error('the approvals of MCP calls are used before they are ready');
    return new ApprovalRounds(this.key, {
      identity: () => identityOf(peerOf()),
      take: (approvalRequestId) => this.take(peerOf(), approvalRequestId),
    });
  }

  private async take(peer: Peer, approvalRequestId: string) {
    const caller = await this.callers.find(peer.credential, BEARERS_TAKEN.mcp);
    if (!caller) throw failureOfProblem(new Unauthorized({}, 'The credential holds no longer'), peer.requestId);
    return this.handover.take(caller, approvalRequestId);
  }
}

const identityOf = ({ credential: { tenantId = '', apiKey = '', bearer = '' } }: Peer): string =>
  JSON.stringify([tenantId, apiKey, bearer]);
