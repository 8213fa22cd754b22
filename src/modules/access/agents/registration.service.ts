import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { uuid } from '../../../common/ids/uuid.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { AgentCheck } from '../../../common/keys/agent-check.js';
import { Metrics } from '../../../common/observability/metrics.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { DISCOVERY_TENANT } from '../../../common/tenancy/discovery-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { Throttle } from '../../../common/throttle/throttle.js';
import { LedgerService } from '../../economy/ledger/ledger.service.js';
import type { AgentRegisterRequest, AgentRegisterResponse } from './agents.dto.js';
import { RegistrationsLimited } from './agents.problems.js';
import { AgentsStore } from './agents.store.js';
import { allowanceOf } from './agents.views.js';
import { StandingService } from './standing.service.js';

/** How long a bearer lasts (D15). */
const BEARER_EXPIRY = `now() + interval '7 days'`;
/** Between further registrations from an address that has made its free ones; doubled from one to the next. */
const WAITS = { firstSeconds: 60, maxSeconds: 3600 };

/** Lets agents register themselves, with a budget of credits (D15). */
@Injectable()
export class RegistrationService implements OnModuleInit {
  private readonly registrations;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: AgentsStore,
    private readonly agents: AgentCheck,
    private readonly ledger: LedgerService,
    private readonly standings: StandingService,
    private readonly outbox: Outbox,
    private readonly throttle: Throttle,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(Metrics) metrics: Metrics,
  ) {
    const help = 'Agents that asked to register themselves, by what came of it.';
    this.registrations = metrics.counter('svc_agent_registrations_total', help, ['outcome']);
  }

  async onModuleInit(): Promise<void> {
    await this.tenancy.run(DISCOVERY_TENANT, () => this.store.openDiscoveryTenant());
  }

  /**
   * @param origin the request, whose answer is to carry the headers of the agent
   * @param address where it came from: each may make so many agents, which cost nothing and are given credits
   * @throws RegistrationsLimited
   */
  async register(
    origin: FastifyRequest,
    address: string,
    request: AgentRegisterRequest,
  ): Promise<AgentRegisterResponse> {
    await this.admit(address);
    return this.tenancy.run(DISCOVERY_TENANT, async () => {
      const agentId = uuid();
      const { token, hash } = this.agents.mint(agentId);
      const { expiresAt } = await this.store.record({
        agentId,
        tokenHash: hash,
        framework: request.agentFramework,
        displayName: request.agentDisplayName,
        callbackUrl: request.callbackUrl,
        fingerprint: request.frameworkFingerprint,
        expiresAt: () => BEARER_EXPIRY,
      });
      await this.grantBudget(agentId);
      const { agentFramework, agentDisplayName = null } = request;
      this.outbox.emit({
        kind: 'agent.registered',
        subject: agentId,
        data: { agentPrincipalId: agentId, agentFramework, agentDisplayName },
      });
      this.tenancy.afterCommit(() => this.registrations.inc({ outcome: 'registered' }));
      origin.registeredAgent = this.standings.standingOfNew(agentId);
      return {
        ...allowanceOf(origin.registeredAgent),
        sessionToken: token,
        expiresAt: expiresAt.toISOString(),
      };
    });
  }

  private async admit(address: string): Promise<void> {
    const free = this.settings.agents.registrationsPerAddress;
    const wait = await this.throttle.admitRequest('agent registration', address, { free, ...WAITS });
    if (wait === 0) return;
    this.registrations.inc({ outcome: 'limited' });
    throw new RegistrationsLimited(
      { retryAfterSec: wait },
      `Another agent may register from this address in ${wait} seconds; use the bearer of one that has registered`,
    );
  }

  private async grantBudget(agentId: string): Promise<void> {
    const credits = this.settings.agents.creditBudget;
    if (credits === 0) return;
    const note = 'The budget of an agent that registered itself';
    await this.ledger.grant({
      agentId,
      credits,
      principal: 'svc:self-signup',
      note,
      reference: `self-signup:${agentId}`,
    });
  }
}
