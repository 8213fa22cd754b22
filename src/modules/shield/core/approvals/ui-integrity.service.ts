import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { uuid } from '../../../../common/ids/uuid.js';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import { Outbox } from '../../../../common/outbox/outbox.js';
import { invalid, type ValidationFailed } from '../../../../common/problem/common-problems.js';
import { namedDigest } from '../../../../evidence/digest.js';
import { sha256 } from '../../../../evidence/sha256.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { PolicyStore } from '../policy/policy.store.js';
import {
  ApprovalNotPending,
  ApprovalUnknown,
  UiIntegrityMismatch,
  UiIntegrityRequired,
  UiIntegrityUnknown,
} from '../shield.problems.js';
import { renderRequest } from './approval.rules.js';
import type { ApprovalResolution } from './approvals.dto.js';
import { ApprovalsStore, type ApprovalRow } from './approvals.store.js';
import type { UiIntegrityList, UiIntegrityListQuery, UiIntegritySession } from './ui-integrity.dto.js';
import { UiIntegrityStore, type UiSessionRow } from './ui-integrity.store.js';

/** Shows an approval request as one text, and holds an approval against the digest of that text. */
@Injectable()
export class UiIntegrityService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly sessions: UiIntegrityStore,
    private readonly approvals: ApprovalsStore,
    private readonly policies: PolicyStore,
    private readonly outbox: Outbox,
  ) {}

  /** @throws ApprovalUnknown, ApprovalNotPending */
  async open(caller: TenantCaller, approvalRequestId: string): Promise<UiIntegritySession> {
    const row = await this.approvals.find(approvalRequestId);
    if (!row) throw new ApprovalUnknown({ approvalRequestId }, 'GET /v1/shield/approvals lists those of the tenant');
    if (row.state !== 'pending')
      throw new ApprovalNotPending({ approvalRequestId, approvalStatus: row.state }, `It is ${row.state}`);
    const nonce = randomBytes(16).toString('base64url');
    const text = renderRequest(shownOf(caller.tenantId, row), nonce);
    const session = await this.sessions.open({
      ui_session_id: uuid(),
      approval_request_id: approvalRequestId,
      principal: caller.principal,
      nonce,
      shown_text: text,
      shown_digest: sha256(text),
      expires_at: row.expires_at,
    });
    return toSession(session);
  }

  async list(caller: TenantCaller, query: UiIntegrityListQuery): Promise<UiIntegrityList> {
    const after = decodeCursor(query.cursor, ['uuid'])?.[0];
    const rows = await this.tenancy.run(caller.tenantId, () => this.sessions.list(query, after, query.limit + 1));
    const { page, next_cursor } = takePage(rows, query.limit, (row) => [row.ui_session_id]);
    return { uiIntegritySessions: page.map(toSession), next_cursor };
  }

  /**
   * Uses the session up, where the resolution names one; the policy may want it to.
   * @throws UiIntegrityRequired, UiIntegrityUnknown, UiIntegrityMismatch: kept with the session although the resolution
   * is rolled back
   */
  async check(caller: TenantCaller, row: ApprovalRow, resolution: ApprovalResolution): Promise<void> {
    const { uiIntegritySessionId, shownDigest } = resolution;
    if (uiIntegritySessionId === undefined && shownDigest === undefined) return this.checkLeftOut(row);
    if (uiIntegritySessionId === undefined) throw missing('uiIntegritySessionId');
    if (shownDigest === undefined) throw missing('shownDigest');
    const session = await this.sessions.lock(uiIntegritySessionId);
    if (!session)
      throw new UiIntegrityUnknown({ uiIntegritySessionId }, 'Open one with POST /v1/shield/ui-integrity-sessions');
    const wrong = whatIsWrong(session, { row, caller, shownDigest });
    if (wrong === undefined) return this.sessions.use(uiIntegritySessionId);
    this.tenancy.afterRollback(() => this.keepMismatch(caller, session, { shownDigest, wrong }));
    throw new UiIntegrityMismatch({ uiIntegritySessionId }, `${wrong}. Open a new session and look again`);
  }

  private async checkLeftOut({ approval_request_id: approvalRequestId }: ApprovalRow): Promise<void> {
    if (!(await this.policies.find())?.requireUiIntegrity) return;
    const remedy =
      'Open one with POST /v1/shield/ui-integrity-sessions, show its text, and send uiIntegritySessionId and shownDigest, the SHA-256 of what was shown';
    throw new UiIntegrityRequired({ approvalRequestId }, remedy);
  }

  private keepMismatch(
    caller: TenantCaller,
    session: UiSessionRow,
    { shownDigest, wrong }: { shownDigest: string; wrong: string },
  ): Promise<void> {
    const { ui_session_id: subject, approval_request_id: approvalRequestId, shown_digest: shown } = session;
    return this.tenancy.run(caller.tenantId, async () => {
      await this.sessions.keepMismatch(subject, caller.principal, shownDigest);
      const data = {
        approvalRequestId,
        principal: caller.principal,
        expected: namedDigest('sha256', shown),
        received: shownDigest,
        reason: wrong,
      };
      this.outbox.emit({ kind: 'shield.ui_integrity_mismatch', subject, data });
    });
  }
}

function whatIsWrong(
  session: UiSessionRow,
  { row, caller, shownDigest }: { row: ApprovalRow; caller: TenantCaller; shownDigest: string },
): string | undefined {
  if (session.state !== 'open') return `The session is ${session.state}`;
  if (session.approval_request_id !== row.approval_request_id) return 'The session showed another approval request';
  if (session.principal !== caller.principal) return 'The session was opened by another principal';
  return namedDigest('sha256', session.shown_digest) === shownDigest
    ? undefined
    : 'shownDigest is not the digest of the text that was shown';
}

const missing = (name: string): ValidationFailed =>
  invalid(`body.${name}`, 'is needed: uiIntegritySessionId and shownDigest go together');

const shownOf = (tenantId: string, row: ApprovalRow) => ({
  approvalRequestId: row.approval_request_id,
  tenantId,
  principal: row.principal,
  action: row.action,
  serverId: row.server_id,
  toolDigest: row.tool_digest,
  argumentsDigest: namedDigest('sha256', row.arguments_digest),
  arguments: row.arguments,
  policyVersion: row.policy_version,
  spendCredits: row.spend_credits,
  reason: row.reason,
  requestedAt: row.requested_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
});

const toSession = (row: UiSessionRow): UiIntegritySession => ({
  uiIntegritySessionId: row.ui_session_id,
  approvalRequestId: row.approval_request_id,
  status: row.state,
  openedBy: row.principal,
  nonce: row.nonce,
  text: row.shown_text,
  shownDigest: namedDigest('sha256', row.shown_digest),
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
  closedAt: row.closed_at?.toISOString() ?? null,
  mismatchDigest: row.mismatch_digest,
});
