import { Injectable } from '@nestjs/common';
import { type DaemonCaller, hasScope } from '../../../common/bearer-auth/daemon-caller.js';
import { KeyRing } from '../../../common/evidence-log/key-ring.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { SyncReach } from '../sync/sync.types.js';
import type { HandshakeReply, TryHandshake } from './handshake.dto.js';
import { checkRight, listed } from './peer-rights.rules.js';
import { PeerRowsService } from './peer-rows.service.js';
import type { Direction } from './peers.types.js';

/** Says to a caller what it reaches. */
@Injectable()
export class ReachService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly keys: KeyRing,
    private readonly peers: PeerRowsService,
  ) {}

  /** @throws PeerDirection, MissingScope for what the caller says that it is going to ask, and may not */
  async describe(
    caller: DaemonCaller,
    reach: SyncReach,
    tenantId: string,
    { right, message }: TryHandshake,
  ): Promise<HandshakeReply> {
    const direction = await this.tenants.run(caller, tenantId, () => this.directionOf(reach));
    const own = { ...reach, mayWrite: reach.mayWrite && hasScope(caller, 'facts:write') };
    if (right !== undefined) checkRight(right, own, caller, direction);
    return {
      schema: 'svc.peer_handshake/1',
      tenant_id: tenantId,
      principal: caller.principal,
      auth_type: caller.authType,
      peer_id: own.peerId ?? null,
      direction: own.peerId === undefined ? null : direction,
      may_read: own.mayRead,
      may_write: own.mayWrite,
      ...listed(own),
      recipient: this.keys.peerIdentity?.publicKey.kid ?? null,
      message: message ?? null,
    };
  }

  private async directionOf({ peerId }: SyncReach): Promise<Direction> {
    return peerId === undefined ? 'both' : (await this.peers.read(peerId)).direction;
  }
}
