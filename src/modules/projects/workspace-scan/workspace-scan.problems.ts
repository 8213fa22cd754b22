import { problem } from '../../../common/problem/problem.js';

export class WorkspaceUnset extends problem<{ setting: string }>(
  409,
  'WorkspaceUnset',
  'The server has no workspace to scan',
) {}

export class ScanUnknown extends problem<{ scan_id: string }>(404, 'ScanUnknown', 'There is no such scan') {}
