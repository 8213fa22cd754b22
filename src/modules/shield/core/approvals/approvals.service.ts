import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { uuid } from '../../../../common/ids/uuid.js';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { EvidenceService } from '../../../../common/evidence-log/evidence.service.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import { invalid } from '../../../../common/problem/common-problems.js';
import { argumentsDigest, argumentsOf } from '../../../../common/call-policy/call-arguments.js';
import { inLowerCase } from '../../../../common/fields/lower-case.js';
import { namedDigest } from '../../../../evidence/digest.js';
import { sha256 } from '../../../../evidence/sha256.js';
import { TOOL_SERVER_ID } from '../../../../common/call-policy/shield-pipeline.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { PolicyStore } from '../policy/policy.store.js';
import { ApprovalNotPending, ApprovalUnknown, SeparationOfDuties } from '../shield.problems.js';
import { TargetsService } from '../targets.service.js';
import { ApprovalRequestsStore } from './approval-requests.store.js';
import type {
  Approval,
  ApprovalList,
  ApprovalListQuery,
  ApprovalProposal,
  ApprovalResolution,
  ApprovalResolved,
} from './approvals.dto.js';
import { ApprovalsStore, type ApprovalRow } from './approvals.store.js';
import { UiIntegrityService } from './ui-integrity.service.js';
import { APPROVAL_RESOLVED } from './approval-evidence.service.js';
import { approvalTokenOf } from './approval.rules.js';

/** Approval requests: proposed, looked at and decided on. Refusals make them too, by the decisions. */
@Injectable()
export class ApprovalsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly approvals: ApprovalsStore,
    private readonly requests: ApprovalRequestsStore,
    private readonly policies: PolicyStore,
    private readonly sessions: UiIntegrityService,
    private readonly targets: TargetsService,
    private readonly evidence: EvidenceService,
  ) {}

  async propose(caller: TenantCaller, proposal: ApprovalProposal): Promise<Approval> {
    const { reason, spendCredits } = proposal;
    const toolDigest = proposal.toolDigest && inLowerCase(proposal.toolDigest);
    const action = this.targets.actionOf(proposal.action, 'body.action');
    const isTool = this.targets.isTool(action);
    if (isTool && toolDigest === undefined)
      throw invalid('body.toolDigest', 'is needed for a tool; GET /capabilities of the tool service lists it');
    const args = isTool ? toolArguments(proposal.arguments) : routeArguments(proposal.arguments);
    const serverId = proposal.serverId ? inLowerCase(proposal.serverId) : isTool ? TOOL_SERVER_ID : undefined;
    const call = {
      caller,
      action,
      isRead: false,
      arguments: args,
      argumentsDigest: argumentsDigest(args),
      toolDigest,
      serverId,
    };
    const policyVersion = await this.policies.readVersion();
    const approvalRequestId = await this.requests.findOrMake({
      approvalRequestId: uuid(),
      call,
      policyVersion,
      reason,
      spendCredits,
    });
    return toApproval(await this.read(approvalRequestId));
  }

  find(caller: TenantCaller, approvalRequestId: string): Promise<Approval> {
    return this.tenancy.run(caller.tenantId, async () => toApproval(await this.read(approvalRequestId)));
  }

  async list(caller: TenantCaller, query: ApprovalListQuery): Promise<ApprovalList> {
    const after = decodeCursor(query.cursor, ['uuid'])?.[0];
    const rows = await this.tenancy.run(caller.tenantId, () => this.approvals.list(query, after, query.limit + 1));
    const { page, next_cursor } = takePage(rows, query.limit, (row) => [row.approval_request_id]);
    return { approvals: page.map(toApproval), next_cursor };
  }

  /** @throws ApprovalUnknown, SeparationOfDuties, ApprovalNotPending, UiIntegrityRequired, UiIntegrityMismatch */
  async resolve(
    caller: TenantCaller,
    approvalRequestId: string,
    resolution: ApprovalResolution,
  ): Promise<ApprovalResolved> {
    const row = await this.read(approvalRequestId, { lock: true });
    if (row.principal === caller.principal)
      throw new SeparationOfDuties(
        { approvalRequestId },
        'The principal that asked cannot decide, by its key or by a session of it; another owner can',
      );
    if (await this.approvals.isStopped(caller.principal))
      throw new SeparationOfDuties({ approvalRequestId }, 'A kill switch stops you, so that another owner decides');
    if (await this.approvals.shareMaker(caller.principal, row.principal))
      throw new SeparationOfDuties(
        { approvalRequestId },
        'The principal that asked invited you, or one of the two keys was made by the other principal, or both by one, which has seen them; another owner can decide. Every other owner can where the operator made the key that asks (svc key create)',
      );
    if (row.state !== 'pending') throw notPending(row);
    await this.sessions.check(caller, row, resolution);
    const token = resolution.decision === 'approve' ? approvalTokenOf(randomBytes(32)) : null;
    const isResolved = await this.approvals.resolve({
      approvalRequestId,
      state: resolution.decision === 'approve' ? 'approved' : 'rejected',
      resolvedBy: caller.principal,
      reason: resolution.reason,
      tokenHash: token === null ? null : sha256(token),
      uiSessionId: resolution.uiIntegritySessionId ?? null,
    });
    if (!isResolved) throw notPending({ ...row, state: 'void', end_reason: 'The policy changed, or its time ran out' });
    await this.approvals.keepReceipt(approvalRequestId, await this.recordReceipt(caller, row, resolution));
    return { ...toApproval(await this.read(approvalRequestId)), approvalToken: token };
  }

  private async recordReceipt(caller: TenantCaller, row: ApprovalRow, resolution: ApprovalResolution): Promise<string> {
    const { receiptId } = await this.evidence.record({
      kind: APPROVAL_RESOLVED,
      actor: caller.principal,
      authMode: caller.authType,
      agentSession: caller.agentSession,
      subject: row.approval_request_id,
      body: {
        decision: resolution.decision,
        reason: resolution.reason,
        asked_by: row.principal,
        action: row.action,
        arguments_digest: namedDigest('sha256', row.arguments_digest),
        server_id: row.server_id,
        tool_digest: row.tool_digest,
        policy_version: row.policy_version,
        spend_credits: row.spend_credits,
        ui_integrity_session_id: resolution.uiIntegritySessionId ?? null,
        shown_digest: resolution.shownDigest ?? null,
      },
    });
    return receiptId;
  }

  /** @throws ApprovalUnknown */
  private async read(approvalRequestId: string, options?: { lock: boolean }): Promise<ApprovalRow> {
    const row = await this.approvals.find(approvalRequestId, options);
    if (row) return row;
    throw new ApprovalUnknown({ approvalRequestId }, 'GET /v1/shield/approvals lists those of the tenant');
  }
}

function routeArguments(given: Record<string, unknown>): object {
  const unknown = Object.keys(given).find((name) => !['path', 'query', 'body'].includes(name));
  if (unknown === undefined) return argumentsOf(given.path, given.query, given.body);
  throw invalid(`body.arguments.${unknown}`, 'is none of path, query and body, which a route takes');
}

/** What the tool service approves: the arguments without what is about the call itself. */
function toolArguments(given: Record<string, unknown>): object {
  const { idempotency_key: _key, shield_approval_token: _token, session_token: _session, ...args } = given;
  return args;
}

function notPending({
  approval_request_id: approvalRequestId,
  state,
  end_reason: endReason,
}: ApprovalRow): ApprovalNotPending {
  return new ApprovalNotPending(
    { approvalRequestId, approvalStatus: state },
    `It is ${state}${endReason ? `: ${endReason}` : ''}. The requester may ask again`,
  );
}

const toApproval = (row: ApprovalRow): Approval => ({
  approvalRequestId: row.approval_request_id,
  status: row.state,
  principal: row.principal,
  action: row.action,
  serverId: row.server_id,
  toolDigest: row.tool_digest,
  argumentsDigest: namedDigest('sha256', row.arguments_digest),
  arguments: row.arguments === null ? null : (JSON.parse(row.arguments) as Record<string, unknown>),
  argumentsBytes: row.arguments_bytes,
  policyVersion: row.policy_version,
  spendCredits: row.spend_credits,
  decisionId: row.decision_id,
  reason: row.reason,
  requestedAt: row.requested_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
  resolvedBy: row.resolved_by,
  resolvedAt: row.resolved_at?.toISOString() ?? null,
  resolutionReason: row.resolution_reason,
  uiIntegritySessionId: row.ui_session_id,
  receiptId: row.receipt_id,
  usedAt: row.used_at?.toISOString() ?? null,
  usedDecisionId: row.used_decision_id,
  endedAt: row.ended_at?.toISOString() ?? null,
  endReason: row.end_reason,
});
