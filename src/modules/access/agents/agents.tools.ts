import { tool } from '../../../common/contract/tool-declaration.js';
import { AgentRegisterRequest, AgentRegisterResponse, AgentSponsorRequestSummary } from './agents.dto.js';

export const AGENT_TOOLS = [
  tool('register_agent', {
    title: 'Register an agent',
    description:
      'Registers an agent that has no tenant and gives it a session of its own, with a small budget of credits and of queries a day. Needs no credential. ' +
      'Call it once, pass agent_framework, and keep sessionToken from the answer: it is shown this once and is sent as Authorization: Bearer. Every call makes another agent, so do not repeat one that answered. ' +
      'With it the agent may call query_vault (the commons alone, 5 credits a query), browse_bundles and get_credit_balance for its own agentPrincipalId. ' +
      'For more, give agentPrincipalId to an owner of a tenant, who sponsors the agent; request_sponsor shows whether that happened. Not found (-32004) means that this server takes no registrations.',
    route: 'POST /v1/agents/register',
    body: AgentRegisterRequest,
    answer: AgentRegisterResponse,
    isRead: false,
    credential: 'none',
  }),
  tool('request_sponsor', {
    title: 'Get the budget and sponsor of an agent',
    description:
      'Reports what a self-registered agent has left of its budget, and whether a tenant sponsors it. Needs no other credential than session_token, and costs nothing. ' +
      'Use it to learn the agentPrincipalId that an owner of a tenant needs for sponsoring, and to look whether sponsorTenantId is set by now: from then on the same token acts in that tenant as a member does. ' +
      'It asks nobody by itself; where a sponsor is found stands in upgradeUrl.',
    route: 'GET /v1/agents/me/sponsor-request',
    answer: AgentSponsorRequestSummary,
    isRead: true,
    credential: 'session_token',
  }),
];
