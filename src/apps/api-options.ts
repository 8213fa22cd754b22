import { tenantApiContract } from '../common/contract/tenant-api-contract.js';
import { PublicAddress } from '../common/http/public-address.js';
import { UpgradeAddress } from '../common/http/upgrade-address.js';
import { IdempotencySweep } from '../common/idempotency/idempotency.sweep.js';
import { Jobs } from '../common/jobs/jobs.js';
import { jobsOf } from '../common/jobs/jobs.provider.js';
import { MailStore } from '../common/mail/mail.store.js';
import { MailWorker } from '../common/mail/mail.worker.js';
import { Mailer } from '../common/mail/mailer.js';
import { Sessions } from '../common/sessions/sessions.js';
import { MailSweep, SessionSweep, ThrottleSweep } from '../common/scheduler/sweeps.js';
import type { ProcessContext } from '../common/process-context.js';
import type { AppOptions } from './core.module.js';

const TITLE = {
  title: 'svc tenant API',
  description:
    'Ingest documents, retrieve ranked passages, cite them in answers, and prove it. Interface version 0.1.0; every failure has one body, ProblemBody.',
  version: '0.1.0',
};

/** What the API alone has: jobs, mail, sessions and sweeps. */
export function apiOptions({ settings, log }: ProcessContext): AppOptions {
  const shared = [PublicAddress, UpgradeAddress, Sessions, Mailer];
  return {
    contract: tenantApiContract({ ...TITLE, server: settings.process.publicUrl ?? '/' }),
    providers: [
      jobsOf({ settings, log }),
      ...shared,
      ...[MailStore, MailWorker, IdempotencySweep, SessionSweep, ThrottleSweep, MailSweep],
    ],
    exports: [Jobs, ...shared],
    stopFirst: Jobs,
  };
}
