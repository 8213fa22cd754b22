import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';

/** What happens to an incident: kinds of events and receipts. */
export type IncidentKind = 'opened' | 'changed' | 'held' | 'radius_walked' | 'quarantined' | 'quarantine_undone';

/** Event and receipt of it. Each incident has a stream of its own, so that none waits for another. */
export const incidentEntry = (what: IncidentKind, incidentId: string, facts: object): AuditEntry => ({
  kind: `incident.${what}`,
  subject: incidentId,
  facts: { incidentId, ...facts },
  stream: `incidents/${incidentId}`,
});
