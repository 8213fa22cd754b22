import type { Provider } from '@nestjs/common';
import type { ProcessParts } from '../core/core.module.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { Jobs } from './jobs.js';

/** The queues of a process that sends jobs and leaves the work to the API's processes, whatever SVC_JOBS says. */
export const jobsForOthers = ({ settings, address, log }: ProcessParts): Provider => ({
  provide: Jobs,
  useFactory: (tenancy: Tenancy) =>
    new Jobs({ ...settings, jobs: { ...settings.jobs, enabled: false } }, tenancy, log, address),
  inject: [Tenancy],
});
