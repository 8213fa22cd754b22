import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { HourlySweep } from '../../../../common/scheduler/hourly-sweep.js';
import { Scheduler } from '../../../../common/scheduler/scheduler.js';
import { CrossTenant } from '../../../../common/tenancy/cross-tenant.js';
import { SPEND_WINDOW_SECONDS } from '../policy/policy.entity.js';

/** Windows that are over: nothing is counted in them any more. */
@Injectable()
export class ToolWindowSweep extends HourlySweep {
  constructor(scheduler: Scheduler, crossTenant: CrossTenant) {
    const where = `window_start < now() - interval '1 hour'`;
    super(scheduler, crossTenant, { reason: 'tool window sweep', table: 'tool_window', where });
  }
}

/** What was spent before the longest spend window. */
@Injectable()
export class SpendingSweep extends HourlySweep {
  constructor(scheduler: Scheduler, crossTenant: CrossTenant) {
    const where = `spent_at < now() - interval '${SPEND_WINDOW_SECONDS} seconds'`;
    super(scheduler, crossTenant, { reason: 'spending sweep', table: 'shield_spending', where });
  }
}

/**
 * Decisions nobody will ask about: allowed as usual, not kept for review, without an approval. Refusals, and what an
 * approval was used for, stay.
 */
@Injectable()
export class DecisionSweep extends HourlySweep {
  constructor(scheduler: Scheduler, crossTenant: CrossTenant, @Inject(SETTINGS) settings: Settings) {
    const where = `outcome = 'allow' and approval_request_id is null and sampled_by = '{}'
      and decided_at < now() - interval '${settings.shield.decisionRetentionDays} days'`;
    super(scheduler, crossTenant, { reason: 'decision sweep', table: 'shield_decision', where });
  }
}
