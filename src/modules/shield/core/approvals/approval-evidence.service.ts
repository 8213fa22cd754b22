import type { FaultSink, StoredReceipt, SubjectCheck } from '../../../../common/evidence-log/evidence-look.types.js';
import {
  findOtherWriter,
  readBodies,
  type ReadReceipt,
  readWithRows,
} from '../../../../common/evidence-log/receipt-bodies.js';
import type { Query } from '../../../../common/tenancy/cross-tenant.js';
import { namedDigest } from '../../../../evidence/digest.js';
import { isOfAnotherTime } from '../../../../evidence/receipt-times.js';
import type { ApprovalState } from '../shield.types.js';

export const APPROVAL_RESOLVED = 'shield.approval_resolved';

/**
 * Approvals against the receipts of those who gave or rejected them. One whose row is gone opens nothing. Those of
 * drills have no receipt: no caller is the principal that asks in one.
 */
export class ApprovalEvidence implements SubjectCheck {
  readonly name = 'approvals';
  readonly kinds = [APPROVAL_RESOLVED];
  readonly rows = [
    {
      table: 'shield_approval',
      receipts: `
        select tenant_id, receipt_id, approval_request_id::text as name from shield_approval
        where ctid >= $1::tid and ctid < $2::tid and (state in ('approved', 'used', 'rejected') or resolved_at is not null)
          and not (drill_id is not null and starts_with(principal, 'drill:'))`,
      spokenOf: (receipt: StoredReceipt) =>
        receipt.kind === APPROVAL_RESOLVED ? readBodies([receipt]).map(({ subject }) => subject) : [],
    },
  ];

  async check(query: Query, receipts: readonly StoredReceipt[], faultOf: (id: string) => FaultSink): Promise<void> {
    for (const { receipt, row } of await readWithRows<ResolvedRow>(query, receipts, APPROVALS)) {
      const { tenantId, receiptId, subject } = receipt;
      const fault = row && findFault(receipt, row);
      if (fault !== undefined)
        faultOf(receiptId).add(`approval ${subject} of tenant ${tenantId}, receipt ${receiptId}: ${fault}`);
    }
  }
}

interface ResolvedRow {
  tenant_id: string;
  id: string;
  state: ApprovalState;
  principal: string;
  action: string;
  server_id: string | null;
  tool_digest: string | null;
  arguments_digest: Buffer;
  policy_version: number;
  spend_credits: number | null;
  expires_at: Date;
  resolved_by: string | null;
  resolved_at: Date | null;
  receipt_id: string | null;
}

function findFault(receipt: ReadReceipt, row: ResolvedRow): string | undefined {
  const { receiptId, occurredAt, body } = receipt;
  if (row.receipt_id !== receiptId || row.resolved_by === null || row.resolved_at === null)
    return 'its row does not say who decided';
  const isGiven = row.state !== 'rejected' && row.state !== 'pending';
  if (isGiven !== (body.decision === 'approve')) return `it is ${row.state}, and the receipt says otherwise`;
  const other = findOtherWriter(receipt, { written_by: row.resolved_by, written_at: row.resolved_at });
  if (other !== undefined) return other;
  const isSame =
    body.asked_by === row.principal &&
    body.action === row.action &&
    body.arguments_digest === namedDigest('sha256', row.arguments_digest) &&
    body.server_id === row.server_id &&
    body.tool_digest === row.tool_digest &&
    body.policy_version === row.policy_version &&
    body.spend_credits === row.spend_credits;
  if (!isSame) return 'what it opens is not what was decided on';
  return isOfAnotherTime(row.expires_at, occurredAt) ? 'it ends at another time than was decided on' : undefined;
}

const APPROVALS = `
  select a.tenant_id, a.approval_request_id as id, a.state, a.principal, a.action, a.server_id, a.tool_digest, a.arguments_digest, a.policy_version,
    a.spend_credits::float8 as spend_credits, a.expires_at, a.resolved_by, a.resolved_at, a.receipt_id
  from (select distinct * from unnest($1::text[], $2::text[]) u (tenant_id, id)) u
  join shield_approval a on a.tenant_id = u.tenant_id and a.approval_request_id = u.id::uuid`;
