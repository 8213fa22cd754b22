import { PublicAddress } from '../http/public-address.js';
import { UpgradeAddress } from '../http/upgrade-address.js';
import { IdempotencySweep } from '../idempotency/idempotency.sweep.js';
import { Jobs } from '../jobs/jobs.js';
import { MailStore } from '../mail/mail.store.js';
import { MailWorker } from '../mail/mail.worker.js';
import { Mailer } from '../mail/mailer.js';
import { Sessions } from '../sessions/sessions.js';
import { MailSweep, SessionSweep, ThrottleSweep } from '../sweeps/sweeps.js';
import { Tenancy } from '../tenancy/tenancy.js';
import type { Machinery, ProcessParts } from './core.module.js';

/** What the API alone has: jobs, mail, sessions and sweeps. */
export function apiMachinery({ settings, address, log }: ProcessParts): Machinery {
  const open = [PublicAddress, UpgradeAddress, Sessions, Mailer];
  return {
    providers: [
      { provide: Jobs, useFactory: (tenancy: Tenancy) => new Jobs(settings, tenancy, log, address), inject: [Tenancy] },
      ...open,
      ...[MailStore, MailWorker, IdempotencySweep, SessionSweep, ThrottleSweep, MailSweep],
    ],
    open: [Jobs, ...open],
    endsFirst: Jobs,
  };
}
