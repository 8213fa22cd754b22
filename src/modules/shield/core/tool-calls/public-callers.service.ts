import { createHmac } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ServerSecret } from '../../../../common/sessions/server-secret.js';
import { DISCOVERY_TENANT } from '../../../../common/tenancy/discovery-tenant.js';

/** Callers of public tools: anonymous, distinguished by the address the call comes from. */
@Injectable()
export class PublicCallersService implements OnModuleInit {
  private key?: Buffer;

  constructor(private readonly secret: ServerSecret) {}

  async onModuleInit(): Promise<void> {
    this.key = await this.secret.keyFor('public tool callers');
  }

  /** @param clientAddress as ClientAddresses gives it; it is kept nowhere, only its keyed digest */
  callerAt(clientAddress: string): { tenantId: string; principal: string; authType: string } {
    if (!this.key) throw new Error('nobody calls before the module is initialised');
    const digest = createHmac('sha256', this.key).update(clientAddress).digest('hex').slice(0, 32);
    return { tenantId: DISCOVERY_TENANT, principal: `public:${digest}`, authType: 'public' };
  }
}
