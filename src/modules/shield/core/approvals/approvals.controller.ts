import { Body, Controller, Param, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../../common/contract/caller.js';
import { created, ok, seats } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import {
  ApprovalNotPending,
  ApprovalUnknown,
  SeparationOfDuties,
  UiIntegrityMismatch,
  UiIntegrityRequired,
  UiIntegrityUnknown,
} from '../shield.problems.js';
import {
  Approval,
  ApprovalList,
  ApprovalListQuery,
  ApprovalPath,
  ApprovalProposal,
  ApprovalResolution,
  ApprovalResolved,
} from './approvals.dto.js';
import { ApprovalsService } from './approvals.service.js';

@Controller()
export class ApprovalsController {
  constructor(private readonly approvals: ApprovalsService) {}

  @Route('GET /v1/shield/approvals', {
    tag: 'shield',
    summary: 'List approval requests',
    description: 'What waits for a decision: status=pending.',
    access: seats('owner'),
    reply: ok(ApprovalList),
  })
  listApprovals(@Caller() caller: TenantCaller, @Query() query: ApprovalListQuery): Promise<ApprovalList> {
    return this.approvals.list(caller, query);
  }

  @Route('POST /v1/shield/approvals/propose', {
    tag: 'shield',
    summary: 'Propose an approval request',
    description:
      'Asks for an approval before making the call, for the caller itself. A call that is refused with ShieldApprovalRequired makes the same request without this. An equal request that is pending is answered instead of a second one. It ends after 15 minutes, and with any change of policy.',
    access: seats('owner'),
    reply: created(Approval),
    tried: { after: ['setShieldPolicy', 'setKillSwitch', 'putServer', 'pinDigest', 'revokeDigest'] },
  })
  proposeApproval(@Caller() caller: TenantCaller, @Body() proposal: ApprovalProposal): Promise<Approval> {
    return this.approvals.propose(caller, proposal);
  }

  @Route('GET /v1/shield/approvals/:approvalRequestId', {
    tag: 'shield',
    summary: 'Get an approval request',
    access: seats('owner'),
    reply: ok(Approval),
    problems: [ApprovalUnknown],
  })
  readApproval(@Caller() caller: TenantCaller, @Param() { approvalRequestId }: ApprovalPath): Promise<Approval> {
    return this.approvals.find(caller, approvalRequestId);
  }

  @Route('POST /v1/shield/approvals/:approvalRequestId/resolve', {
    tag: 'shield',
    summary: 'Approve or reject an approval request',
    description:
      'Never by the principal that asked: 403 SeparationOfDuties, also by a session of the same key, where one made the key of the other, by a seat that it invited, and by whom a kill switch stops. An approval yields a token that works once, for that principal, action, tool definition, arguments and policy version, until expiresAt. With uiIntegritySessionId and shownDigest the approval is bound to what was shown: a digest other than the one of the session is refused with 409 and kept. Where the policy says requireUiIntegrity, both are needed: 403 UiIntegrityRequired without. Refused with 409 when it was resolved before, has expired or is void.',
    access: seats('owner'),
    reply: ok(ApprovalResolved),
    problems: [
      ApprovalUnknown,
      SeparationOfDuties,
      ApprovalNotPending,
      UiIntegrityRequired,
      UiIntegrityUnknown,
      UiIntegrityMismatch,
    ],
    secretReply: true,
  })
  resolveApproval(
    @Caller() caller: TenantCaller,
    @Param() { approvalRequestId }: ApprovalPath,
    @Body() resolution: ApprovalResolution,
  ): Promise<ApprovalResolved> {
    return this.approvals.resolve(caller, approvalRequestId, resolution);
  }
}
