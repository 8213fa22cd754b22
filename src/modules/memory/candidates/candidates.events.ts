import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';

/** What happens to a candidate: kinds of events and receipts. */
type CandidateKind = 'changed' | 'promoted' | 'rejected' | 'undone' | 'expired' | 'superseded' | 'proposed';

type PlainAudit = Omit<Extract<AuditEntry, { makeEvent?: never }>, 'makeEvent'>;

/** Event and receipt of it, in a stream of the plane, so that facts do not wait. They say no text of a candidate. */
export const candidateEntry = (what: CandidateKind, candidateId: string, facts: object): PlainAudit => ({
  kind: `candidate.${what}`,
  subject: candidateId,
  facts: { candidateId, ...facts },
  stream: 'candidates',
});

/** Of a whole extraction. */
export const extractionEntry = (extractionId: string, facts: object): PlainAudit => ({
  kind: 'memory.extracted',
  subject: extractionId,
  facts: { extractionId, ...facts },
  stream: 'candidates',
});
