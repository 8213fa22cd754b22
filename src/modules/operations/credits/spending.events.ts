import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';

/** Event and receipt of credits that were spent. All spendings of a tenant are one chain. */
export const creditsSpent = (
  transferId: string,
  facts: { agentId: string; credits: number; reference: string; balanceAfter: number },
): AuditEntry => ({
  kind: 'credits.spent',
  subject: transferId,
  facts: { transferId, ...facts },
  stream: 'credits',
});
