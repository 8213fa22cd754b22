import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';
import { namedDigest } from '../../../evidence/digest.js';
import type { ObserveStepRow } from './observe-step.entity.js';

/** What a receipt says of a step, so that the step can be held against it: nothing of its content but the digest. */
export const stepOpened = (step: ObserveStepRow): AuditEntry =>
  entryOf('step.opened', step, {
    ...{ parentId: step.parentId, stepKind: step.kind, riskClass: step.riskClass },
    ...{ tsStart: step.tsStart.toISOString(), digest: digestOf(step.openDigest) },
  });

export const stepClosed = (step: ObserveStepRow): AuditEntry =>
  entryOf('step.closed', step, {
    ...{ status: step.status, receiptId: step.receiptId, mutationReceiptId: step.mutationReceiptId },
    ...{ tsEnd: step.tsEnd!.toISOString(), digest: digestOf(step.closeDigest) },
  });

/** Each session has a stream of its own, so that none waits for another. */
const entryOf = (kind: string, { sessionId, nodeId }: ObserveStepRow, facts: object): AuditEntry => ({
  kind,
  subject: nodeId,
  facts: { sessionId, nodeId, ...facts },
  stream: `observe/${sessionId}`,
});

const digestOf = (bytes: Buffer | null): string => namedDigest('sha256', bytes!);

export const sessionArchived = (sessionId: string, at: Date, steps: number): AuditEntry => ({
  kind: 'session.archived',
  subject: sessionId,
  facts: { sessionId, archivedAt: at.toISOString(), steps },
  stream: `observe/${sessionId}`,
});
