import { problem } from '../../../common/problem/problem.js';

export class LegalHoldUnknown extends problem<{ hold_id: string }>(
  404,
  'LegalHoldUnknown',
  'There is no such legal hold',
) {}

export class HoldTenantUnknown extends problem<{ tenant_id: string }>(
  404,
  'HoldTenantUnknown',
  'There is no such tenant to place a legal hold on',
) {}

/** It was released before, or its incident is not closed. */
export class HoldNotReleasable extends problem<{
  hold_id: string;
  released_at: string | null;
  incident_id: string | null;
}>(409, 'HoldNotReleasable', 'The legal hold cannot be released') {}
