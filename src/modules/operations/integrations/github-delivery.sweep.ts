import { Injectable } from '@nestjs/common';
import { HourlySweep } from '../../../common/scheduler/hourly-sweep.js';
import { Scheduler } from '../../../common/scheduler/scheduler.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';

/** Deliveries of thirty days ago: GitHub sends none again after three. */
@Injectable()
export class GithubDeliverySweep extends HourlySweep {
  constructor(scheduler: Scheduler, crossTenant: CrossTenant) {
    super(scheduler, crossTenant, {
      reason: 'github delivery sweep',
      table: 'github_delivery',
      where: `received_at < now() - interval '30 days'`,
    });
  }
}
