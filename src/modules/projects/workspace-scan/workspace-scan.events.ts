import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';
import type { WorkspaceScanRow } from './workspace-scan.entity.js';

/** Event and receipt of one step of a scan. Paths and names of symbols stand in neither. */
export const scanStep = (
  what: 'requested' | 'completed' | 'failed',
  { scanId, files, symbols, problem }: WorkspaceScanRow,
): AuditEntry => ({
  kind: `workspace.scan_${what}`,
  subject: scanId,
  facts: { scanId, ...(what === 'completed' && { files, symbols }), ...(what === 'failed' && { problem }) },
  stream: 'workspace',
});
