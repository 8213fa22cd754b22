import type { Actor } from '../../../common/evidence-log/audit-trail.js';
import type { IncidentRow } from './incident.entity.js';
import type { IncidentCase, IncidentReply } from './incidents.dto.js';
import type { IncidentNote, Window } from './incidents.types.js';

export const caseOf = (row: IncidentRow): IncidentCase => ({
  incident_id: row.incidentId,
  tenant_id: row.tenantId,
  title: row.title,
  window: { from: row.windowFrom.toISOString(), to: row.windowTo?.toISOString() ?? null },
  session_ids: row.sessionIds,
  agent_ids: row.agentIds,
  entities: row.entities,
  notes: row.notes.map(({ text }) => text).join('\n\n'),
  note_log: row.notes,
  severity: row.severity,
  status: row.status,
  version: row.version,
  opened_by: row.openedBy,
  opened_at: row.openedAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  closed_at: row.closedAt?.toISOString() ?? null,
});

export const incidentReplyOf = (row: IncidentRow): IncidentReply => ({
  case: caseOf(row),
  case_record_id: row.receiptId,
});

export const noteOf = ({ principal }: Pick<Actor, 'principal'>, text: string): IncidentNote => ({
  text,
  by: principal,
  at: new Date().toISOString(),
});

export const shownWindow = ({ from, to }: Window) => ({
  from: from.toISOString(),
  to: to?.toISOString() ?? null,
});
