import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { TenantCaller, Tier } from '../contract/caller.js';
import { Listener } from '../database/listener.js';
import { TtlCache } from '../database/ttl-cache.js';
import { Unauthorized } from '../problem/common-problems.js';
import { ServerSecret } from '../sessions/server-secret.js';
import { DISCOVERY_TENANT } from '../tenancy/discovery-tenant.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { inactiveTenant, TENANT_CHANGED, type TenantState } from '../tenancy/tenant-state.js';
import { AgentTokens, type AgentAddress } from './agent-token.js';

interface Verdict {
  agentId: string;
  expiresAt: Date;
  caller: TenantCaller;
}

interface AgentFound {
  expires_at: Date;
  sponsor_tenant_id: string | null;
  /** The lower of the tenant's and the one it is sponsored at. */
  tier: Tier;
  state: TenantState;
}

/**
 * Finds out which agent a self-signup bearer belongs to (D15). One that ended or was sponsored, or whose tenant
 * changed, in any process, is looked up again.
 */
@Injectable()
export class AgentCheck implements OnModuleInit {
  private readonly verdicts: TtlCache<Verdict>;
  private tokens!: AgentTokens;

  constructor(
    private readonly tenancy: Tenancy,
    listener: Listener,
    private readonly secret: ServerSecret,
  ) {
    this.verdicts = new TtlCache(listener, 'svc_agent_changed', (agentId, verdict) => verdict.agentId === agentId, {
      [TENANT_CHANGED]: (tenantId, { caller }) => caller.tenantId === tenantId,
    });
  }

  async onModuleInit(): Promise<void> {
    this.tokens = new AgentTokens(await this.secret.keyFor('self-signup'));
  }

  /** A new bearer for an agent. */
  mint(agentId: string): { token: string; hash: Buffer } {
    return this.tokens.mint(agentId);
  }

  /** Whose bearer this says it is, by its signature alone: the agent may have ended. */
  read(token: string): AgentAddress | undefined {
    return this.tokens.read(token);
  }

  /**
   * @returns undefined when the token is not of an agent that may still act
   * @throws Unauthorized when the tenant it acts in is not active
   */
  async find(token: string): Promise<TenantCaller | undefined> {
    const address = this.tokens.read(token);
    if (!address) return undefined;
    const id = address.hash.toString('base64');
    const known = this.verdicts.get(id);
    if (known) return known.expiresAt > new Date() ? known.caller : undefined;
    return (await this.verdicts.ask(id, () => this.ask(address)))?.caller;
  }

  /** The next request of this agent in this process is checked again; NOTIFY informs the other processes. */
  invalidate(agentId: string): void {
    this.verdicts.invalidate(agentId);
  }

  private async ask({ agentId, hash }: AgentAddress): Promise<Verdict | undefined> {
    const [row] = await this.tenancy.call<AgentFound>('select * from svc_authenticate_agent($1, $2)', [agentId, hash]);
    if (!row) return undefined;
    const { expires_at: expiresAt, sponsor_tenant_id: sponsor, tier, state } = row;
    if (state !== 'active') throw new Unauthorized({}, inactiveTenant(state));
    const principal = `agent:${agentId}`;
    const caller: TenantCaller = sponsor
      ? { tenantId: sponsor, tier, principal, role: 'member', authType: 'agent' }
      : { tenantId: DISCOVERY_TENANT, tier, principal, role: 'discovery', authType: 'agent' };
    return { agentId, expiresAt, caller };
  }
}
