import type { OrchestratorMemberRow } from './orchestrator-member.entity.js';
import type { OrchestratorRow } from './orchestrator.entity.js';
import type { Orchestrator, OrchestratorMember, OrchestratorSummary } from './orchestrators.dto.js';

export const summaryOf = (row: OrchestratorRow): OrchestratorSummary => ({
  orchestrator_id: row.orchestratorId,
  tenant_id: row.tenantId,
  name: row.name,
  state: row.state,
  created_by_passport: row.createdByPassport,
  assignee_passport: row.assigneePassport,
  version: row.version,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  member_count: row.memberCount,
});

export const orchestratorOf = (row: OrchestratorRow, members: OrchestratorMemberRow[]): Orchestrator => ({
  ...summaryOf(row),
  member_count: members.length,
  members: members.map(memberOf),
});

const memberOf = (row: OrchestratorMemberRow): OrchestratorMember => ({
  member_type: row.memberType,
  ref: row.ref,
  added_by: row.addedBy,
  added_at: row.addedAt.toISOString(),
});
