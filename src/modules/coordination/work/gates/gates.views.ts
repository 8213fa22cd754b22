import type { GatePolicyRow } from './gate-policy.entity.js';
import type { GatePolicy, GateResolution, PendingGate } from './gates.dto.js';
import type { WorkGateRow } from './work-gate.entity.js';

export const gateOf = (row: WorkGateRow): PendingGate => ({
  action_id: row.actionId,
  work_id: row.workId,
  project_id: row.projectId,
  item_version: row.itemVersion,
  before: row.before,
  after: row.after,
  why: row.why,
  requested_by: row.requestedPassport,
  requested_at: row.requestedAt.toISOString(),
  expires_at: row.expiresAt.toISOString(),
  may_decide: row.mayDecide ?? ['*'],
});

export const resolutionOf = (row: WorkGateRow): GateResolution => ({
  ...gateOf(row),
  status: row.status,
  decided_by: row.decidedPassport,
  approver_passport: row.status === 'approved' || row.status === 'rejected' ? row.decidedPassport : null,
  decided_at: row.decidedAt?.toISOString() ?? null,
  reason: row.reason,
  receipt_id: row.decisionReceipt,
  // Approved is the version that it is about alone, and the move makes the next one.
  work_version: row.itemVersion + (row.status === 'approved' ? 1 : 0),
});

/** @param row undefined where the project never set one */
export const policyOf = (projectId: string, row: GatePolicyRow | undefined): GatePolicy => ({
  project_id: projectId,
  moves: row?.moves ?? [],
  may_decide: row?.mayDecide ?? null,
  version: row?.version ?? 0,
  changed_by: row?.changedBy ?? null,
  changed_at: row?.changedAt.toISOString() ?? null,
});
