import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';

/** Receipts of a project have a chain of their own, so that no project waits for another. */
const streamOf = (projectId: string): string => `projects/${projectId}`;

/** Event and receipt of one change of a project. */
export const projectChange = (
  what: 'created' | 'changed' | 'deleted',
  { projectId, version }: { projectId: string; version: number },
  facts: object = {},
): AuditEntry => ({
  kind: `project.${what}`,
  subject: projectId,
  facts: { projectId, version, ...facts },
  stream: streamOf(projectId),
});

/** The same of one of its planes. */
export const planeChange = (
  what: 'created' | 'changed' | 'deleted',
  { projectId, planeId, version }: { projectId: string; planeId: string; version: number },
  facts: object = {},
): AuditEntry => ({
  kind: `plane.${what}`,
  subject: `${projectId}/${planeId}`,
  facts: { projectId, planeId, version, ...facts },
  stream: streamOf(projectId),
});
