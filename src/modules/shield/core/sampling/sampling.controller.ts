import { Body, Controller, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../../common/contract/caller.js';
import { created, ok, seats } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { PageQuery } from '../../../../common/fields/page.dto.js';
import { SamplingPolicy, SamplingPolicyList, SamplingPolicyRequest } from './sampling.dto.js';
import { SamplingService } from './sampling.service.js';

@Controller()
export class SamplingController {
  constructor(private readonly sampling: SamplingService) {}

  @Route('GET /v1/shield/sampling-policies', {
    tag: 'shield',
    summary: 'List sampling policies',
    description: 'With the number of decisions that each kept.',
    access: seats('owner'),
    reply: ok(SamplingPolicyList),
  })
  listSamplingPolicies(@Caller() caller: TenantCaller, @Query() query: PageQuery): Promise<SamplingPolicyList> {
    return this.sampling.list(caller, query);
  }

  @Route('POST /v1/shield/sampling-policies', {
    tag: 'shield',
    summary: 'Set a sampling policy',
    description:
      'Keeps a share of the decisions for review, from now on. Whether a decision is kept follows from its id and the id of the policy, so that anyone can check that none was left out. GET /v1/shield/decisions?sampled=true lists what was kept. A rate of 0 ends it.',
    access: seats('owner'),
    reply: created(SamplingPolicy),
  })
  putSamplingPolicy(@Caller() caller: TenantCaller, @Body() request: SamplingPolicyRequest): Promise<SamplingPolicy> {
    return this.sampling.put(caller, request);
  }
}
