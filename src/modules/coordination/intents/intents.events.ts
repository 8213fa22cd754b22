import type { OutboxEvent } from '../../../common/outbox/outbox.js';
import type { IntentRow } from './intent.entity.js';

/** Without its note, which is text for people. Others drop it at `expiresAt` by themselves: no event says so. */
export const intentAnnounced = (row: IntentRow, actor: string, overlaps: number): OutboxEvent => ({
  kind: 'intent.announced',
  subject: row.sessionId,
  data: {
    ...namesOf(row),
    ...{ execplanSlug: row.execplanSlug, milestone: row.milestone, deployTarget: row.deployTarget, paths: row.paths },
    ...{ expiresAt: row.expiresAt.toISOString(), overlaps, actor },
  },
});

export const intentCleared = (row: IntentRow, actor: string): OutboxEvent => ({
  kind: 'intent.cleared',
  subject: row.sessionId,
  data: { ...namesOf(row), actor },
});

const namesOf = ({ intentId, sessionId, projectId, byPassport }: IntentRow) => ({
  ...{ intentId, sessionId, projectId, byPassport },
});
