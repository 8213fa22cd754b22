import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, created, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { AddPeer, PeerList, PeerPath, PeerReply, PeersQuery, RevokePeerQuery } from './peers.dto.js';
import { PeerNotFound, PeerTaken } from './peers.problems.js';
import { PeersService } from './peers.service.js';

const base = { tag: 'sync', extension: true, tenantBound: true } as const;
const writes = anyOf('admin:write');

@Controller()
export class PeersController {
  constructor(private readonly peers: PeersService) {}

  @Route('POST /v1/sync/peers', {
    ...{ ...base, summary: 'Add a peer', access: writes, reply: created(PeerReply) },
    description:
      'A daemon that may synchronise the memory of this tenant, known by its key; the other side adds this one likewise. One that was revoked is added again under its peer_id and with its key, by what the request says. Leaves a receipt (sync.peer_added). docs/formats/peer-requests.md.',
    problems: [PeerTaken],
  })
  addPeer(@Caller() caller: DaemonCaller, @Body() body: AddPeer): Promise<PeerReply> {
    return this.peers.add(caller, body);
  }

  @Route('GET /v1/sync/peers', {
    ...{ ...base, summary: 'List peers', access: anyOf('admin:read', 'admin:write'), reply: ok(PeerList) },
  })
  listPeers(@Caller() caller: DaemonCaller, @Query() query: PeersQuery): Promise<PeerList> {
    return this.peers.list(caller, query);
  }

  @Route('DELETE /v1/sync/peers/:peer_id', {
    ...{ ...base, summary: 'Revoke a peer', access: writes, reply: ok(PeerReply) },
    description:
      'It is refused from its next request on, and with it all that it delegated. Its row stays. Once more changes nothing. Leaves a receipt (sync.peer_revoked).',
    problems: [PeerNotFound],
  })
  revokePeer(
    @Caller() caller: DaemonCaller,
    @Param() { peer_id }: PeerPath,
    @Query() { tenant_id }: RevokePeerQuery,
  ): Promise<PeerReply> {
    return this.peers.revoke(caller, peer_id, tenant_id);
  }
}
