import { Body, Controller, Param, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { ok, seats, selfSignup, sessionOf } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import {
  AgentPath,
  AgentSponsorClaimRequest,
  AgentSponsorClaimResponse,
  AgentSponsorRequestSummary,
  ReleaseQuery,
  SponsoredAgent,
  SponsoredAgentList,
  SponsoredAgentQuery,
} from './agents.dto.js';
import { AgentAlreadySponsored, AgentEnded, AgentUnknown } from './agents.problems.js';
import { SponsorshipService } from './sponsorship.service.js';
import { StandingService } from './standing.service.js';

@Controller()
export class AgentsController {
  constructor(
    private readonly standings: StandingService,
    private readonly sponsorships: SponsorshipService,
  ) {}

  @Route('GET /v1/agents/me/sponsor-request', {
    tag: 'agents',
    summary: "Get the calling agent's budget and sponsor",
    description:
      'For the bearer of an agent that registered itself, before and after it is sponsored. To be sponsored, the agent gives its agentPrincipalId to an owner of a tenant, who calls POST /v1/agents/{agentPrincipalId}/sponsor. ' +
      'Every answer to such a bearer, refusals included, says the same in the headers x-svc-credits-remaining, x-svc-rate-limit-daily-remaining, x-svc-sponsor-required and x-svc-upgrade-url.',
    access: selfSignup(),
    reply: ok(AgentSponsorRequestSummary),
    problems: [AgentUnknown],
  })
  readSponsorRequest(@Caller() caller: TenantCaller): Promise<AgentSponsorRequestSummary> {
    return this.standings.readSummary(caller);
  }

  @Route('POST /v1/agents/:agentPrincipalId/sponsor', {
    tag: 'agents',
    summary: 'Sponsor an agent',
    description:
      'The agent acts in the tenant of the session from its next request on. It keeps its bearer and, until that expires, may do what a member may; its budget and its queries a day no longer limit it, and what it spends is spent by the tenant. An agent has one sponsor: of two tenants ' +
      'one wins and the other gets 409 AgentAlreadySponsored; a repeat by the sponsor answers the first claim, whatever tier it names. One whose bearer has expired or was released is 409 AgentEnded. ' +
      'The sponsorship belongs to the tenant: it outlasts the seat or key that decided on it, and ends with DELETE /v1/org/agents/{agentPrincipalId}.',
    access: sessionOf('owner'),
    reply: ok(AgentSponsorClaimResponse),
    problems: [AgentUnknown, AgentAlreadySponsored, AgentEnded],
  })
  sponsorAgent(
    @Caller() caller: TenantCaller,
    @Param() path: AgentPath,
    @Body() claim: AgentSponsorClaimRequest,
  ): Promise<AgentSponsorClaimResponse> {
    return this.sponsorships.sponsor(caller, path, claim);
  }

  @Route('GET /v1/org/agents', {
    tag: 'agents',
    summary: 'List sponsored agents',
    description:
      'Agents that the tenant sponsors or has sponsored, in the order in which they were sponsored. What an agent says of itself is not checked by anyone.',
    access: seats('owner', 'admin'),
    reply: ok(SponsoredAgentList),
  })
  listSponsoredAgents(
    @Caller() caller: TenantCaller,
    @Query() query: SponsoredAgentQuery,
  ): Promise<SponsoredAgentList> {
    return this.sponsorships.listSponsored(caller, query);
  }

  @Route('DELETE /v1/org/agents/:agentPrincipalId', {
    tag: 'agents',
    summary: 'Release a sponsored agent',
    description:
      'Its bearer is refused with 401 by every process within a second, for good, and whatever was derived from it ends with it: approvals it waits for, approval tokens it has not used. What it wrote stays. ' +
      'One that was released before is answered as it is.',
    access: seats('owner'),
    reply: ok(SponsoredAgent),
    problems: [AgentUnknown],
  })
  releaseAgent(
    @Caller() caller: TenantCaller,
    @Param() { agentPrincipalId }: AgentPath,
    @Query() { reason }: ReleaseQuery,
  ): Promise<SponsoredAgent> {
    return this.sponsorships.release(caller, agentPrincipalId, reason);
  }
}
