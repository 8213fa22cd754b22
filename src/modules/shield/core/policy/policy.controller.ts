import { Body, Controller } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../../common/contract/caller.js';
import { ok, seats } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { PolicyRequest, ShieldPolicy } from './policy.dto.js';
import { PolicyService } from './policy.service.js';

@Controller()
export class PolicyController {
  constructor(private readonly policy: PolicyService) {}

  @Route('GET /v1/shield/policy', {
    tag: 'shield',
    summary: 'Get the shield policy',
    description: 'What this tenant asks for on top of what holds for all. Everything is off until it is set.',
    access: seats('owner'),
    reply: ok(ShieldPolicy),
  })
  readShieldPolicy(@Caller() caller: TenantCaller): Promise<ShieldPolicy> {
    return this.policy.read(caller);
  }

  @Route('PUT /v1/shield/policy', {
    tag: 'shield',
    summary: 'Set the shield policy',
    description:
      'Members that are left out stay as they are. Acts in every process from the moment this answers. /v1/shield/* and /frontdoor/* stay open whatever is set, so that it can always be taken back. Raises the policy version, which voids approvals that are pending or not used yet.',
    access: seats('owner'),
    reply: ok(ShieldPolicy),
  })
  setShieldPolicy(@Caller() caller: TenantCaller, @Body() request: PolicyRequest): Promise<ShieldPolicy> {
    return this.policy.set(caller, request);
  }
}
