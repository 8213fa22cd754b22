import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';
import type { DraftKind, DraftOutcome } from './mediation.types.js';

interface DraftFacts {
  kind: DraftKind;
  outcome: DraftOutcome;
  engineStatus: number | null;
  payloadDigest: string;
  answerDigest: string | null;
}

/** Event and receipt of a draft, sent and answered or not: digests, nothing of what it said. */
export const draftMediated = (draftId: string, { kind, ...facts }: DraftFacts): AuditEntry => ({
  kind: 'mediation.drafted',
  subject: draftId,
  facts: { draftId, draftKind: kind, ...facts },
  stream: 'mediation',
});
