import { Body, Controller, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Caller, type TenantCaller } from '../../../../common/contract/caller.js';
import { accepted, anyone, ok, seats } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { ClientAddresses } from '../../../../common/http/client-address.js';
import {
  AccessRequestTransitionRefused,
  AccessRequestUnknown,
  TenantTaken,
  TooManyRequests,
} from '../frontdoor.problems.js';
import {
  AccessRequestDecided,
  AccessRequestList,
  AccessRequestListQuery,
  AccessRequestPath,
  AccessRequestStatusUpdate,
  FrontdoorAccessRequestCreate,
  FrontdoorAccessRequestReceipt,
} from './access-requests.dto.js';
import { AccessRequestsService } from './access-requests.service.js';

@Controller()
export class AccessRequestsController {
  constructor(
    private readonly requests: AccessRequestsService,
    private readonly addresses: ClientAddresses,
  ) {}

  @Route('POST /frontdoor/access-requests', {
    tag: 'frontdoor',
    summary: 'Submit an access request',
    description:
      'Asks for a tenant. For everybody, without credentials. The operator of this server reviews it; the answer goes to requesterEmail. An address may send 5, then one a minute, then ever fewer: 429 with retry-after.',
    access: anyone(),
    reply: accepted(FrontdoorAccessRequestReceipt),
    problems: [TooManyRequests],
  })
  submitAccessRequest(
    @Body() body: FrontdoorAccessRequestCreate,
    @Req() request: FastifyRequest,
  ): Promise<FrontdoorAccessRequestReceipt> {
    return this.requests.submit(body, this.addresses.of(request));
  }

  @Route('GET /v1/org/access-requests', {
    tag: 'frontdoor',
    summary: 'List access requests',
    description:
      'For the tenant that operates this server (SVC_BOOTSTRAP_TENANT_ID); the list of any other tenant is empty. Newest first, with their history.',
    access: seats('owner'),
    reply: ok(AccessRequestList),
  })
  listAccessRequests(
    @Caller() caller: TenantCaller,
    @Query() query: AccessRequestListQuery,
  ): Promise<AccessRequestList> {
    return this.requests.list(caller, query);
  }

  @Route('POST /v1/org/access-requests/:id/status', {
    tag: 'frontdoor',
    summary: 'Change the status of an access request',
    description:
      'submitted goes to reviewing; reviewing to approved, rejected or spam; approved to provisioned; anything else is refused with 409, which names what is allowed. `provisioned` makes the ' +
      'tenant (newTenantId, else the tenantId asked for, else one made of the company), its first API key and an owner invitation for the requester, all with the decision or not at all; ' +
      'the answer shows key and invitation once, and is kept encrypted for a replay. Each change leaves a signed receipt. Of two reviewers at once one is refused.',
    access: seats('owner'),
    reply: ok(AccessRequestDecided),
    problems: [AccessRequestUnknown, AccessRequestTransitionRefused, TenantTaken],
    secretReply: true,
    tried: { body: { status: 'reviewing' }, from: { id: 'submitAccessRequest#/requestId' } },
  })
  decideAccessRequest(
    @Caller() caller: TenantCaller,
    @Param() { id }: AccessRequestPath,
    @Body() body: AccessRequestStatusUpdate,
  ): Promise<AccessRequestDecided> {
    return this.requests.decide(caller, id, body);
  }
}
