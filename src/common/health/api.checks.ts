import { statfs } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { KeyRing } from '../evidence-log/key-ring.js';
import { Jobs } from '../jobs/jobs.js';
import { CrossTenant } from '../tenancy/cross-tenant.js';
import { checkFor, type Check } from './check.js';
import { OwnChecks } from './readiness.checks.js';

/** Below this share of free space the disk counts as full: writes would soon fail half-way. */
const MIN_FREE_RATIO = 0.02;
const MIN_FREE_BYTES = 256 * 1024 * 1024;

/** What the API needs in addition to the database. */
@Injectable()
export class ApiChecks extends OwnChecks {
  constructor(
    private readonly crossTenant: CrossTenant,
    private readonly jobs: Jobs,
    private readonly keys: KeyRing,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super();
  }

  all(): Check[] {
    return [
      checkFor('job_queue', () => this.jobQueue()),
      checkFor('signing_key', () => this.crossTenant.run('readiness', (query) => this.keys.findFault(query))),
      checkFor('disk', () => this.disk()),
    ];
  }

  private async jobQueue(): Promise<string | undefined> {
    await Promise.all([this.jobs.depth('ingest'), this.crossTenant.run('readiness', (query) => query('select 1'))]);
    return undefined;
  }

  private async disk(): Promise<string | undefined> {
    const { bavail, blocks, bsize } = await statfs(this.settings.process.dataDir).catch(() => statfs('/'));
    const low = bavail / blocks < MIN_FREE_RATIO || bavail * bsize < MIN_FREE_BYTES;
    return low ? `only ${Math.round((bavail * bsize) / 1024 ** 2)} MiB are free in the data directory` : undefined;
  }
}
