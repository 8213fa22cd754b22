import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { TenantCaller, Tier } from '../contract/caller.js';
import type { SeatRole } from '../contract/contract.js';
import { Listener } from '../database/listener.js';
import { TtlCache } from '../database/ttl-cache.js';
import { SignedHeader } from '../http/signed-header.js';
import { Unauthorized } from '../problem/common-problems.js';
import { ServerSecret } from '../sessions/server-secret.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { inactiveTenant, TENANT_CHANGED, type TenantState } from '../tenancy/tenant-state.js';

/** The header in which a server says, to another, who proved to it who they are. */
export const DELEGATED_CALLER_HEADER = 'x-svc-delegated-caller';

/**
 * Who that is: a seat with its role, or the bearer of a token of the daemon, never more than a member, for such a token
 * says nothing of the administration of a tenant.
 */
interface DelegatedCaller {
  tenantId: string;
  principal: string;
  role: SeatRole;
}

interface TenantRow {
  tier: Tier;
  state: TenantState;
}

/**
 * Callers that the memory daemon authenticated, at the tenant API, and persons whom an MCP endpoint let in by an access
 * token, at both servers (docs/decisions/0315, 0339).
 */
@Injectable()
export class DelegatedCallers extends SignedHeader<DelegatedCaller> {
  private readonly tenants: TtlCache<TenantRow>;

  constructor(
    secret: ServerSecret,
    private readonly tenancy: Tenancy,
    listener: Listener,
  ) {
    super(secret, DELEGATED_CALLER_HEADER, 'delegated-caller');
    this.tenants = new TtlCache(listener, TENANT_CHANGED, (payload, _, name) => payload === name);
  }

  /**
   * @returns undefined without the header, or where its tenant is not registered
   * @throws Unauthorized when the tenant is not active
   */
  async find(request: FastifyRequest): Promise<TenantCaller | undefined> {
    const said = this.of(request);
    if (!said) return undefined;
    const { tenantId } = said;
    const row = this.tenants.get(tenantId) ?? (await this.tenants.ask(tenantId, () => this.ask(tenantId)));
    if (row && row.state !== 'active') throw new Unauthorized({}, inactiveTenant(row.state));
    return row && { ...said, tier: row.tier, authType: 'delegated' };
  }

  private ask(tenantId: string): Promise<TenantRow | undefined> {
    return this.tenancy.run(tenantId, async () => {
      const [row] = await this.tenancy.query<TenantRow>('select tier, state from tenant where tenant_id = $1', [
        tenantId,
      ]);
      return row;
    });
  }
}
