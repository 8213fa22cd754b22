import { Injectable } from '@nestjs/common';
import { CrossTenant } from '../tenancy/cross-tenant.js';
import { HourlySweep } from './hourly-sweep.js';
import { Scheduler } from './scheduler.js';

/** Sessions that ended or expired a day ago: until then an operator can see that there was one. */
@Injectable()
export class SessionSweep extends HourlySweep {
  constructor(scheduler: Scheduler, crossTenant: CrossTenant) {
    const where = `expires_at < now() - interval '1 day' or ended_at < now() - interval '1 day'`;
    super(scheduler, crossTenant, { reason: 'session sweep', table: 'session', where });
  }
}

/** Counts of attempts that have no more effect. */
@Injectable()
export class ThrottleSweep extends HourlySweep {
  constructor(scheduler: Scheduler, crossTenant: CrossTenant) {
    const where = `counted_at < now() - interval '1 hour' and coalesce(blocked_until < now(), true)`;
    super(scheduler, crossTenant, { reason: 'throttle sweep', table: 'throttle', where });
  }
}

/**
 * Mails left over where the mail server was taken out of the settings: an invitation's link is of no use after a week.
 */
@Injectable()
export class MailSweep extends HourlySweep {
  constructor(scheduler: Scheduler, crossTenant: CrossTenant) {
    const where = `created_at < now() - interval '7 days'`;
    super(scheduler, crossTenant, { reason: 'mail sweep', table: 'outgoing_mail', where });
  }
}
