import { Injectable } from '@nestjs/common';
import { HourlySweep } from '../scheduler/hourly-sweep.js';
import { Scheduler } from '../scheduler/scheduler.js';
import { CrossTenant } from '../tenancy/cross-tenant.js';

/** Removes records of idempotent requests once their 24 hours are over (D9). */
@Injectable()
export class IdempotencySweep extends HourlySweep {
  constructor(scheduler: Scheduler, crossTenant: CrossTenant) {
    const where = `created_at < now() - interval '24 hours'`;
    super(scheduler, crossTenant, { reason: 'idempotency sweep', table: 'idempotent_request', where });
  }
}
