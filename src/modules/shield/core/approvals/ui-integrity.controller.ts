import { Body, Controller, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../../common/contract/caller.js';
import { created, ok, seats } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { ApprovalNotPending, ApprovalUnknown } from '../shield.problems.js';
import { UiIntegrityList, UiIntegrityListQuery, UiIntegrityRequest, UiIntegritySession } from './ui-integrity.dto.js';
import { UiIntegrityService } from './ui-integrity.service.js';

@Controller()
export class UiIntegrityController {
  constructor(private readonly sessions: UiIntegrityService) {}

  @Route('GET /v1/shield/ui-integrity-sessions', {
    tag: 'shield',
    summary: 'List UI-integrity sessions',
    description: 'Those that were signed off with something else than they showed: status=mismatched.',
    access: seats('owner'),
    reply: ok(UiIntegrityList),
  })
  listUiIntegritySessions(
    @Caller() caller: TenantCaller,
    @Query() query: UiIntegrityListQuery,
  ): Promise<UiIntegrityList> {
    return this.sessions.list(caller, query);
  }

  @Route('POST /v1/shield/ui-integrity-sessions', {
    tag: 'shield',
    summary: 'Open a UI-integrity session',
    description:
      'To show an approval request to a human: gives the text of the request and its digest. The client shows the text, computes the digest of what it showed, and resolves with both: then the approval is proven to be of just that. Refused with 409 when the request is not pending.',
    access: seats('owner'),
    reply: created(UiIntegritySession),
    problems: [ApprovalUnknown, ApprovalNotPending],
    tried: { from: { 'body/approvalRequestId': 'proposeApproval#/approvalRequestId' } },
  })
  openUiIntegritySession(
    @Caller() caller: TenantCaller,
    @Body() { approvalRequestId }: UiIntegrityRequest,
  ): Promise<UiIntegritySession> {
    return this.sessions.open(caller, approvalRequestId);
  }
}
