import { Injectable } from '@nestjs/common';
import { HourlySweep } from '../../../common/scheduler/hourly-sweep.js';
import { Scheduler } from '../../../common/scheduler/scheduler.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';

/** Intents that expired, which no reader saw any more. */
@Injectable()
export class IntentSweep extends HourlySweep {
  constructor(scheduler: Scheduler, crossTenant: CrossTenant) {
    super(scheduler, crossTenant, { reason: 'intent sweep', table: 'coord_intent', where: 'expires_at < now()' });
  }
}
