import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';
import type { MemoryCaseRow } from './memory-case.entity.js';

type RecordedCase = Pick<MemoryCaseRow, 'caseId' | 'success' | 'reward' | 'contentHash'>;

/** Event and receipt of it: the digest of its text, never the text. One stream for the cases of a tenant. */
export const caseEntry = (what: 'recorded' | 'deleted', row: RecordedCase): AuditEntry => ({
  kind: `case.${what}`,
  subject: row.caseId,
  facts: { caseId: row.caseId, success: row.success, reward: row.reward, contentHash: row.contentHash },
  stream: 'cases',
});
