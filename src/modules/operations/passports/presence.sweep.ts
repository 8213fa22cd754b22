import { Injectable } from '@nestjs/common';
import { HourlySweep } from '../../../common/scheduler/hourly-sweep.js';
import { Scheduler } from '../../../common/scheduler/scheduler.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';

/** Passports that no request bore for thirty days, and that nobody registered. */
@Injectable()
export class PresenceSweep extends HourlySweep {
  constructor(scheduler: Scheduler, crossTenant: CrossTenant) {
    super(scheduler, crossTenant, { reason: 'presence sweep', table: 'passport_presence', where: OVER });
  }
}

const OVER = `last_seen_at < now() - interval '30 days' and not exists (select from passport p
  where p.tenant_id = passport_presence.tenant_id and p.passport_id = passport_presence.passport_id)`;
