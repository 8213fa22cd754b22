import { Tenancy } from '../../common/tenancy/tenancy.js';
import type { HandshakeReply } from '../../modules/memory/peers/handshake.dto.js';
import { PeerClient } from '../../modules/memory/peers/peer-client.service.js';
import { PeerFailure } from '../../modules/memory/peers/peer-failures.types.js';
import { PeerRowsService } from '../../modules/memory/peers/peer-rows.service.js';
import { checkTenant } from '../memory/tenant-there.js';
import { asOperator } from '../operator.js';
import { UserError } from '../output.js';

/** What a peer opens to this daemon, as it says itself. @throws UserError */
export const checkPeer = (tenant: string, peerId: string, delegation: string | undefined): Promise<HandshakeReply> =>
  asOperator(async (services) => {
    await checkTenant(services, tenant);
    const target = await services.get(Tenancy).run(tenant, () => services.get(PeerRowsService).readTarget(peerId));
    try {
      const connection = services.get(PeerClient).open({ ...target, delegation });
      const path = `/v1/sync/tenants/${encodeURIComponent(tenant)}/handshake`;
      return (await connection.ask({ method: 'POST', path, body: {} })).body as HandshakeReply;
    } catch (error) {
      throw error instanceof PeerFailure ? new UserError(error.message) : error;
    }
  });
