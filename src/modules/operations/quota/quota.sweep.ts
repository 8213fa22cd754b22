import { Injectable } from '@nestjs/common';
import { HourlySweep } from '../../../common/scheduler/hourly-sweep.js';
import { Scheduler } from '../../../common/scheduler/scheduler.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';

/** Windows that are over: nothing is counted in them any more. None lasts longer than a day. */
@Injectable()
export class QuotaSweep extends HourlySweep {
  constructor(scheduler: Scheduler, crossTenant: CrossTenant) {
    const where = `window_start < now() - interval '1 day' - make_interval(secs => window_seconds)`;
    super(scheduler, crossTenant, { reason: 'quota sweep', table: 'quota_window', where });
  }
}
