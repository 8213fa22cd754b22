import { Body, Controller, Param } from '@nestjs/common';
import type { DaemonCaller } from '../../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../../common/contract/caller.js';
import { anyOf, ok } from '../../../../common/contract/contract.js';
import { Fence } from '../../../../common/contract/fence.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { LeaseEnded } from '../../leases/leases.problems.js';
import { WorkPath } from '../work.dto.js';
import { WorkUnknown } from '../work.problems.js';
import {
  ClaimNextRequest,
  ClaimReply,
  ClaimRequest,
  ForceReleaseRequest,
  ReleaseReply,
  ReleaseRequest,
  RenewedReply,
  RenewLeaseRequest,
  RenewRequest,
} from './claims.dto.js';
import { MoveNeedsApproval, WorkHeld, WorkNotClaimable } from './claims.problems.js';
import { ClaimsService } from './claims.service.js';

const tag = 'work';
const access = anyOf('facts:write', 'admin:write');

@Controller()
export class ClaimsController {
  constructor(private readonly claims: ClaimsService) {}

  @Route('POST /v1/work/claim-next', {
    tag,
    summary: 'Claim the most urgent ready item',
    description:
      'Of the items that are ready and that nothing blocks: by priority, then the oldest. No two callers get the same one. It is in progress then, and yours until expires_at; after that it is free for others at once. work is null where nothing is ready. Items assigned to somebody else are left to them; items of a project whose gate policy names ready>in_progress are left out.',
    access,
    tenantBound: true,
    extension: true,
    reply: ok(ClaimReply),
    tried: { after: ['approveGate'] },
  })
  claimNextWork(@Caller() caller: DaemonCaller, @Body() body: ClaimNextRequest): Promise<ClaimReply> {
    return this.claims.claimNext(caller, body);
  }

  @Route('POST /v1/work/:id/claim', {
    tag,
    summary: 'Claim one work item',
    description:
      'Whoever holds it already keeps the fence and gets more time. 409 WORK_HELD names the holder and expires_at; 409 WORK_NOT_CLAIMABLE says why it cannot be claimed. 409 MOVE_NEEDS_APPROVAL where the gate policy names the move: PATCH /v1/work/{id} asks for it, and once it is approved the item can be claimed.',
    access,
    tenantBound: true,
    extension: true,
    reply: ok(ClaimReply),
    problems: [WorkUnknown, WorkHeld, WorkNotClaimable, MoveNeedsApproval],
    tried: { after: ['forceReleaseWork'] },
  })
  claimWork(
    @Caller() caller: DaemonCaller,
    @Param() { id }: WorkPath,
    @Body() body: ClaimRequest,
  ): Promise<ClaimReply> {
    return this.claims.claim(caller, id, body);
  }

  @Route('POST /v1/work/:id/renew', {
    tag,
    summary: 'Renew the lease of a work item',
    description: 'By its holder, with its fence. A renewal never shortens. 409 LEASE_ENDED once its time is over.',
    access,
    tenantBound: true,
    extension: true,
    fenced: true,
    reply: ok(RenewedReply),
    problems: [WorkUnknown, WorkHeld, LeaseEnded],
    tried: { from: { 'body/fence': 'claimWork#/lease/fence' } },
  })
  renewWork(
    @Caller() caller: DaemonCaller,
    @Param() { id }: WorkPath,
    @Body() body: RenewRequest,
    @Fence() fence?: number,
  ): Promise<RenewedReply> {
    return this.claims.renew(caller, id, body, fence);
  }

  @Route('POST /v1/work/renew-lease', {
    tag,
    summary: 'Renew a lease by its fence',
    description: 'Of a work item or of a path: a fence names one lease.',
    access,
    tenantBound: true,
    extension: true,
    reply: ok(RenewedReply),
    problems: [WorkUnknown, WorkHeld, LeaseEnded],
    tried: { from: { 'body/fence': 'claimNextWork#/lease/fence' } },
  })
  renewLease(@Caller() caller: DaemonCaller, @Body() body: RenewLeaseRequest): Promise<RenewedReply> {
    return this.claims.renewByFence(caller, body);
  }

  @Route('POST /v1/work/:id/release', {
    tag,
    summary: 'Give a work item back',
    description:
      'By its holder, with its fence. What is in progress is ready again and nobody’s; what is in another state stays there. 409 MOVE_NEEDS_APPROVAL where the gate policy names in_progress>ready: PATCH /v1/work/{id} asks for it.',
    access,
    tenantBound: true,
    extension: true,
    fenced: true,
    reply: ok(ReleaseReply),
    problems: [WorkUnknown, WorkHeld, LeaseEnded, MoveNeedsApproval],
    tried: { from: { 'body/fence': 'claimWork#/lease/fence' }, after: ['renewWork'] },
  })
  releaseWork(
    @Caller() caller: DaemonCaller,
    @Param() { id }: WorkPath,
    @Body() body: ReleaseRequest,
    @Fence() fence?: number,
  ): Promise<ReleaseReply> {
    return this.claims.release(caller, id, body, fence);
  }

  @Route('POST /v1/work/:id/force-release', {
    tag,
    summary: 'Take a work item from its holder',
    description:
      'For administrators. The reason becomes a comment; writes with the old fence are refused from then on.',
    access: anyOf('admin:write'),
    tenantBound: true,
    extension: true,
    reply: ok(ReleaseReply),
    problems: [WorkUnknown, WorkNotClaimable],
    tried: { after: ['renewLease'] },
  })
  forceReleaseWork(
    @Caller() caller: DaemonCaller,
    @Param() { id }: WorkPath,
    @Body() body: ForceReleaseRequest,
  ): Promise<ReleaseReply> {
    return this.claims.forceRelease(caller, id, body);
  }
}
