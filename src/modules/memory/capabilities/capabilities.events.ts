import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';

/** Event and receipt of an audit. Each capability has a stream of its own, so that none waits for another. */
export const capabilityAudited = (capabilityId: string, facts: object): AuditEntry => ({
  kind: 'capability.audited',
  subject: capabilityId,
  facts: { capabilityId, ...facts },
  stream: `capabilities/${capabilityId}`,
});
