import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { JobWithMetadata } from 'pg-boss';
import { Jobs } from '../../../common/jobs/jobs.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { ScanRunner } from './scan-runner.js';
import type { ScanJob } from './workspace-scan.types.js';

/** Takes scans from the queue, one at a time. One that no attempt could end is failed. */
@Injectable()
export class ScanQueue implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly runner: ScanRunner,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.jobs.work<ScanJob>('workspace.scan', { batchSize: 1 }, async ([job]) => {
      if (job) await this.attempt(job);
    });
    await this.jobs.work<ScanJob>('workspace.scan.dead', { batchSize: 1 }, async ([job]) => {
      if (job) await this.runner.fail(job.data, 'The scan was lost with its process, again and again; ask for another');
    });
  }

  /** The last attempt that ends with an error says so; one that is killed leaves it to the dead letter queue. */
  private async attempt({ data, retryCount, retryLimit }: JobWithMetadata<ScanJob>): Promise<void> {
    try {
      await this.runner.run(data);
    } catch (error) {
      this.log.warn({ tenant: data.tenantId, scan: data.scanId, attempt: retryCount + 1, error }, 'a scan failed');
      if (retryCount >= retryLimit)
        await this.runner.fail(data, 'An internal error, recorded in the log of the server');
      throw error;
    }
  }
}
