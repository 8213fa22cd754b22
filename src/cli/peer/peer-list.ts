import { OPERATOR } from '../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../common/tenancy/tenancy.js';
import { PeerRowsService } from '../../modules/memory/peers/peer-rows.service.js';
import type { AddPeer, Peer } from '../../modules/memory/peers/peers.dto.js';
import { peerOf } from '../../modules/memory/peers/peers.views.js';
import { readAllPages } from '../all-pages.js';
import { checkTenant } from '../memory/tenant-there.js';
import { asOperator } from '../operator.js';

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
    return services.get(Tenancy).run(tenant, () =>
      readAllPages(
        (page) => rows.list(page),
        ({ peers }) => peers,
      ),
    );
  });

/** @throws UserError */
export const revokePeer = (tenant: string, peerId: string): Promise<Peer> =>
  asOperator(async (services) => {
    await checkTenant(services, tenant);
    const revoke = () => services.get(PeerRowsService).revoke(OPERATOR, peerId);
    return peerOf(await services.get(Tenancy).run(tenant, revoke));
  });
