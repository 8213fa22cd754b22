import { statfs } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../common/config/settings.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { CrossTenant } from '../../common/tenancy/cross-tenant.js';
import { OwnChecks, type ReadinessCheck } from './readiness.checks.js';

/** Below this share of free space the disk counts as full: writes would soon fail half-way. */
const LEAST_FREE_RATIO = 0.02;
const LEAST_FREE_BYTES = 256 * 1024 * 1024;

/** What the API needs beside the database. */
@Injectable()
export class ApiChecks extends OwnChecks {
  constructor(
    private readonly crossTenant: CrossTenant,
    private readonly jobs: Jobs,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super();
  }

  all(): ReadinessCheck[] {
    return [
      { name: 'job_queue', find: () => this.jobQueue() },
      { name: 'disk', find: () => this.disk() },
    ];
  }

  private async jobQueue(): Promise<string | undefined> {
    await Promise.all([this.jobs.depth('ingest'), this.crossTenant.run('readiness', (query) => query('select 1'))]);
    return undefined;
  }

  private async disk(): Promise<string | undefined> {
    const { bavail, blocks, bsize } = await statfs(this.settings.process.dataDir).catch(() => statfs('/'));
    const low = bavail / blocks < LEAST_FREE_RATIO || bavail * bsize < LEAST_FREE_BYTES;
    return low
      ? `only ${Math.round((bavail * bsize) / 1024 ** 2)} MiB are free at ${this.settings.process.dataDir}`
      : undefined;
  }
}
