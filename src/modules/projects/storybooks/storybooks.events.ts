import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';
import type { StorybookRow } from './storybook.entity.js';

type Generated = Pick<StorybookRow, 'projectId' | 'generatedAtUnixMs' | 'contentHash' | 'bytes'>;

/**
 * Event and receipt of it: the digest of what it says. Not in the project's own stream, whose newest receipt is part of
 * the next storybook: generating one must not change the next.
 */
export const storybookGenerated = (row: Generated, sectionCount: number): AuditEntry => ({
  kind: 'storybook.generated',
  subject: row.projectId,
  facts: {
    ...{ projectId: row.projectId, generatedAtUnixMs: row.generatedAtUnixMs, contentHash: row.contentHash },
    ...{ bytes: row.bytes, sectionCount },
  },
  stream: `storybooks/${row.projectId}`,
});
