import { Injectable } from '@nestjs/common';
import { HourlySweep } from '../../../common/scheduler/hourly-sweep.js';
import { Scheduler } from '../../../common/scheduler/scheduler.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';

/** Calls that no window counts any more. */
@Injectable()
export class ExtensionWindowsSweep extends HourlySweep {
  constructor(scheduler: Scheduler, crossTenant: CrossTenant) {
    const where = `called_at < now() - interval '5 minutes'`;
    super(scheduler, crossTenant, { reason: 'extension sweep', table: 'extension_call', where });
  }
}
