import type { WorkspaceScan } from './workspace-scan.dto.js';
import type { WorkspaceScanRow } from './workspace-scan.entity.js';

export const scanOf = (row: WorkspaceScanRow): WorkspaceScan => ({
  scan_id: row.scanId,
  tenant_id: row.tenantId,
  state: row.state,
  files_found: row.filesFound,
  files: row.files,
  bytes: Number(row.bytes),
  symbols: row.symbols,
  left_out: row.leftOut,
  problem: row.problem,
  created_by: row.createdBy,
  version: row.version,
  created_at: row.createdAt.toISOString(),
  started_at: row.startedAt?.toISOString() ?? null,
  ended_at: row.endedAt?.toISOString() ?? null,
});
