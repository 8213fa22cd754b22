import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { PeerRowsService } from './peer-rows.service.js';
import type { AddPeer, PeerList, PeerReply, PeersQuery } from './peers.dto.js';
import { peerReply } from './peers.views.js';

/** Who may synchronise the memory of a tenant: its peers, each known by a key, added and revoked by an operator. */
@Injectable()
export class PeersService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly rows: PeerRowsService,
  ) {}

  /** @throws ValidationFailed, PeerTaken, TenantMismatch */
  async add(caller: DaemonCaller, { tenant_id, ...request }: AddPeer): Promise<PeerReply> {
    const peer = await this.rows.prepare(request);
    return peerReply(await this.tenants.write(caller, tenant_id, () => this.rows.add(caller, peer)));
  }

  list(caller: DaemonCaller, { tenant_id, ...query }: PeersQuery): Promise<PeerList> {
    return this.tenants.run(caller, tenant_id, () => this.rows.list(query));
  }

  /** Once more changes nothing. @throws PeerNotFound, TenantMismatch */
  async revoke(caller: DaemonCaller, peerId: string, tenantId: string | undefined): Promise<PeerReply> {
    return peerReply(await this.tenants.run(caller, tenantId, () => this.rows.revoke(caller, peerId)));
  }
}
