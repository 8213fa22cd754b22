import { Body, Controller, Param } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { Reach } from '../sync/sync.service.js';
import type { SyncReach } from '../sync/sync.types.js';
import { HandshakePath, HandshakeReply, TryHandshake } from './handshake.dto.js';
import { ReachService } from './reach.service.js';

@Controller()
export class HandshakeController {
  constructor(private readonly reaches: ReachService) {}

  @Route('POST /v1/sync/tenants/:tenantId/handshake', {
    ...{ tag: 'sync', extension: true, tenantBound: true, peers: 'either' as const },
    summary: 'Try a handshake',
    description:
      'What whoever calls may do in the tenant. For a peer to see whether it signs as it should, and what its row opens.',
    access: anyOf('facts:read'),
    reply: ok(HandshakeReply),
  })
  tryHandshake(
    @Caller() caller: DaemonCaller,
    @Reach() reach: SyncReach,
    @Param() { tenantId }: HandshakePath,
    @Body() body: TryHandshake,
  ): Promise<HandshakeReply> {
    return this.reaches.describe(caller, reach, tenantId, body);
  }
}
