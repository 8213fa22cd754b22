import { Body, Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { anyone, created } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { ClientAddresses } from '../../../common/http/client-address.js';
import { AgentRegisterRequest, AgentRegisterResponse } from './agents.dto.js';
import { RegistrationsLimited } from './agents.problems.js';
import { RegistrationService } from './registration.service.js';

@Controller()
export class RegistrationController {
  constructor(
    private readonly registrations: RegistrationService,
    private readonly addresses: ClientAddresses,
  ) {}

  @Route('POST /v1/agents/register', {
    tag: 'agents',
    summary: 'Register an agent without a tenant',
    description:
      'With FEATURE_SELF_SIGNUP off there is no such address: 404. Needs no credential and no idempotency key: every call makes another agent. It answers a bearer, shown this once, with which the agent may call POST /v1/retrieve (the commons alone, 5 credits a query), GET /v1/agents/me/sponsor-request, ' +
      'GET /v1/bundles and GET /v1/credits/{agentId} for itself, until its credits or the queries of the UTC day are used up (429 QuotaExhausted) or a tenant sponsors it. A client address that has registered many agents has to wait (429 RegistrationsLimited). ' +
      'The answer and every one to the bearer carry x-svc-credits-remaining, x-svc-rate-limit-daily-remaining, x-svc-sponsor-required and x-svc-upgrade-url.',
    access: anyone(),
    flag: 'selfSignup',
    reply: created(AgentRegisterResponse),
    problems: [RegistrationsLimited],
    secretReply: true,
  })
  async registerAgent(
    @Req() request: FastifyRequest,
    @Body() body: AgentRegisterRequest,
  ): Promise<AgentRegisterResponse> {
    return this.registrations.register(request, this.addresses.of(request), body);
  }
}
