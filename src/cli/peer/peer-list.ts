import { OPERATOR } from '../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../common/tenancy/tenancy.js';
import { PeerRowsService } from '../../modules/memory/peers/peer-rows.service.js';
import type { AddPeer, Peer } from '../../modules/memory/peers/peers.dto.js';
import { peerOf } from '../../modules/memory/peers/peers.views.js';
import { checkTenant } from '../memory/tenant-there.js';
import { asOperator } from '../operator.js';

const PAGE = 200;

/** @throws UserError */
export const addPeer = (tenant: string, request: Omit<AddPeer, 'tenant_id'>): Promise<Peer> =>
  asOperator(async (services) => {
    await checkTenant(services, tenant);
    const rows = services.get(PeerRowsService);
    const peer = await rows.prepare(request);
    return peerOf(await services.get(Tenancy).run(tenant, () => rows.add(OPERATOR, peer)));
  });

/** All of them. @throws UserError */
export const listPeers = (tenant: string): Promise<Peer[]> =>
  asOperator(async (services) => {
    await checkTenant(services, tenant);
    const rows = services.get(PeerRowsService);
    return services.get(Tenancy).run(tenant, async () => {
      const all: Peer[] = [];
      let cursor: string | undefined;
      do {
        const page = await rows.list({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
        all.push(...page.peers);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      return all;
    });
  });

/** @throws UserError */
export const revokePeer = (tenant: string, peerId: string): Promise<Peer> =>
  asOperator(async (services) => {
    await checkTenant(services, tenant);
    const revoke = () => services.get(PeerRowsService).revoke(OPERATOR, peerId);
    return peerOf(await services.get(Tenancy).run(tenant, revoke));
  });
