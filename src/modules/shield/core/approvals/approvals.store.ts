import { Injectable } from '@nestjs/common';
import { OPERATOR } from '../../../../common/evidence-log/audit-trail.js';
import { LINES_OF_MAKERS } from '../../../../common/keys/makers.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { ApprovalState } from '../shield.types.js';

export interface ApprovalRow {
  approval_request_id: string;
  state: ApprovalState;
  principal: string;
  action: string;
  server_id: string | null;
  tool_digest: string | null;
  arguments_digest: Buffer;
  arguments: string | null;
  arguments_bytes: number;
  policy_version: number;
  spend_credits: number | null;
  decision_id: string | null;
  reason: string;
  requested_at: Date;
  expires_at: Date;
  resolved_by: string | null;
  resolved_at: Date | null;
  resolution_reason: string | null;
  ui_session_id: string | null;
  receipt_id: string | null;
  used_at: Date | null;
  used_decision_id: string | null;
  ended_at: Date | null;
  end_reason: string | null;
}

export interface ApprovalFilter {
  status?: ApprovalState;
  principal?: string;
  action?: string;
}

export interface Resolution {
  approvalRequestId: string;
  state: 'approved' | 'rejected';
  resolvedBy: string;
  reason: string;
  tokenHash: Buffer | null;
  uiSessionId: string | null;
}

/** A request or a token past its time is expired, whether or not a row says so yet. */
const COLUMNS = `approval_request_id, principal, action, server_id, tool_digest, arguments_digest, arguments, arguments_bytes, policy_version, spend_credits::float8 as spend_credits,
  case when state in ('pending', 'approved') and expires_at <= statement_timestamp() then 'expired' else state end as state,
  decision_id, reason, requested_at, expires_at, resolved_by, resolved_at, resolution_reason, ui_session_id, receipt_id, used_at, used_decision_id,
  coalesce(ended_at, case when state in ('pending', 'approved') and expires_at <= statement_timestamp() then expires_at end) as ended_at, end_reason`;

@Injectable()
export class ApprovalsStore {
  constructor(private readonly tenancy: Tenancy) {}

  async find(approvalRequestId: string, { lock = false } = {}): Promise<ApprovalRow | undefined> {
    const [row] = await this.tenancy.query<ApprovalRow>(
      `select ${COLUMNS} from shield_approval where tenant_id = $1 and approval_request_id = $2 ${lock ? 'for update' : ''}`,
      [this.tenancy.tenant, approvalRequestId],
    );
    return row;
  }

  /** Newest first. */
  list(filter: ApprovalFilter, after: string | undefined, limit: number): Promise<ApprovalRow[]> {
    return this.tenancy.query<ApprovalRow>(
      `select * from (select ${COLUMNS} from shield_approval where tenant_id = $1 and drill_id is null) one
       where ($2::text is null or state = $2) and ($3::text is null or principal = $3) and ($4::text is null or action = $4)
         and ($5::uuid is null or approval_request_id < $5)
       order by approval_request_id desc limit $6`,
      [
        this.tenancy.tenant,
        filter.status ?? null,
        filter.principal ?? null,
        filter.action ?? null,
        after ?? null,
        limit,
      ],
    );
  }

  /**
   * Whether one has seen the key of the other, or one principal has seen both, as who makes a key has; or whether the
   * approver was invited by the asker, itself or by what it made and invited: the link of an invitation is in its
   * answer. Whom the approver invited is another person, and so are two that one invited.
   */
  async shareMaker(approver: string, asker: string): Promise<boolean> {
    const rows = await this.tenancy.query(
      `${LINES_OF_MAKERS}
       select from line approver join line asker using (principal)
       where approver.start = $2 and asker.start = $3 and asker.by_keys limit 1`,
      [this.tenancy.tenant, approver, asker, OPERATOR.principal],
    );
    return rows.length > 0;
  }

  /** Whether a kill switch of the scope `principal` stops this one now. */
  async isStopped(principal: string): Promise<boolean> {
    const rows = await this.tenancy.query(
      `select from shield_kill_switch where tenant_id = $1 and scope = 'principal' and target = $2 and mode = 'deny'
         and drill_id is null and lifted_at is null and (expires_at is null or expires_at > statement_timestamp()) limit 1`,
      [this.tenancy.tenant, principal],
    );
    return rows.length > 0;
  }

  /** Only what is pending and in time: the row decides, not what was read before. @returns whether it was */
  async resolve(resolution: Resolution): Promise<boolean> {
    const rows = await this.tenancy.query(
      `update shield_approval set state = $3, resolved_by = $4, resolved_at = clock_timestamp(), resolution_reason = $5, token_hash = $6,
         ui_session_id = $7
       where tenant_id = $1 and approval_request_id = $2 and state = 'pending' and expires_at > statement_timestamp() and principal <> $4
         and policy_version = coalesce((select version from shield_policy where tenant_id = $1), 1)
       returning 1`,
      [
        this.tenancy.tenant,
        resolution.approvalRequestId,
        resolution.state,
        resolution.resolvedBy,
        resolution.reason,
        resolution.tokenHash,
        resolution.uiSessionId,
      ],
    );
    return rows.length === 1;
  }

  async keepReceipt(approvalRequestId: string, receiptId: string): Promise<void> {
    await this.tenancy.query(
      'update shield_approval set receipt_id = $3 where tenant_id = $1 and approval_request_id = $2',
      [this.tenancy.tenant, approvalRequestId, receiptId],
    );
  }
}
