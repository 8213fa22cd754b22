import { Inject, Injectable } from '@nestjs/common';
import { LOG, type Log } from '../observability/log.js';
import { HourlySweep } from '../sweeps/hourly-sweep.js';
import { CrossTenant } from '../tenancy/cross-tenant.js';

/** Removes records of idempotent requests once their 24 hours are over (D9). */
@Injectable()
export class IdempotencySweep extends HourlySweep {
  constructor(crossTenant: CrossTenant, @Inject(LOG) log: Log) {
    const where = `created_at < now() - interval '24 hours'`;
    super(crossTenant, log, { reason: 'idempotency sweep', table: 'idempotent_request', where });
  }
}
