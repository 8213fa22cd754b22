import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';
import type { SealReply } from './admin.dto.js';

const stream = 'admin';

/** Event and receipt of a restart that was asked for. */
export const restartRequested = (restartId: string, reason: string | null): AuditEntry => ({
  ...{ kind: 'admin.restart_requested', subject: restartId, stream },
  facts: { reason },
});

/** Event and receipt of sealing on demand: what was sealed by then. */
export const sealed = (sealId: string, { facts, log }: Pick<SealReply, 'facts' | 'log'>): AuditEntry => ({
  ...{ kind: 'admin.sealed', subject: sealId, stream },
  facts: { factsSealedBefore: facts.open_before, logSize: log.size },
});

/** Event and receipt of facts that were removed for good: how many, and for how long retired ones are kept. */
export const factsCompacted = (
  compactionId: string,
  counts: { deleted: number; retired: number; held: number },
  retentionDays: number | null,
): AuditEntry => ({
  ...{ kind: 'facts.compacted', subject: compactionId, stream },
  facts: { ...counts, retentionDays },
});
