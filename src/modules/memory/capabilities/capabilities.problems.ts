import { problem } from '../../../common/problem/problem.js';

export class CapabilityUnknown extends problem<{ capability_id: string }>(
  404,
  'CapabilityUnknown',
  'There is no such capability',
) {}

export class AuditChanged extends problem<{ version: number }>(
  409,
  'AuditChanged',
  'The capability has been audited meanwhile',
) {}
