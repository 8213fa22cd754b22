import { statfs } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { SETTINGS, type Settings } from '../../common/config/settings.js';
import { Jobs } from '../../common/jobs/jobs.js';
import { CrossTenant } from '../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../common/tenancy/tenancy.js';
import { MIGRATIONS } from '../../migrations/index.js';

/** Below this share of free space the disk counts as full: writes would soon fail half-way. */
const LEAST_FREE_RATIO = 0.02;
const LEAST_FREE_BYTES = 256 * 1024 * 1024;

/** One method a thing the process cannot work without; each asks the real thing. */
@Injectable()
export class ReadinessChecks {
  constructor(
    private readonly health: HealthIndicatorService,
    private readonly tenancy: Tenancy,
    private readonly crossTenant: CrossTenant,
    private readonly jobs: Jobs,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** In the order in which they are told: the first that fails usually explains the rest. */
  all(): (() => Promise<HealthIndicatorResult>)[] {
    return [
      () => this.check('database', () => this.database()),
      () => this.check('migrations', () => this.migrations()),
      () => this.check('row_security', () => this.rowSecurity()),
      () => this.check('job_queue', () => this.jobQueue()),
      () => this.check('disk', () => this.disk()),
    ];
  }

  private async check(name: string, find: () => Promise<string | undefined>): Promise<HealthIndicatorResult> {
    const indicator = this.health.check(name);
    const fault = await find().catch((error: Error) => error.message || 'does not answer');
    return fault ? indicator.down({ reason: fault }) : indicator.up();
  }

  private async database(): Promise<string | undefined> {
    const [row] = await this.tenancy.call<{ recovering: boolean }>('select pg_is_in_recovery() as recovering');
    return row?.recovering ? 'the database is read-only (in recovery)' : undefined;
  }

  private async migrations(): Promise<string | undefined> {
    const rows = await this.tenancy.call<{ name: string }>('select name from migration');
    const done = new Set(rows.map((row) => row.name));
    const missing = MIGRATIONS.filter((migration) => !done.has(migration.name)).length;
    return missing ? `${missing} migration(s) have not run; run svc migrate` : undefined;
  }

  private async rowSecurity(): Promise<string | undefined> {
    const open = await this.tenancy.call<{ relname: string }>(UNSECURED_TABLES);
    return open.length ? `row-level security is not forced on ${open.map((row) => row.relname).join(', ')}` : undefined;
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

/** Tables with tenant data (a tenant_id column) on which any of the protections is missing. */
export const UNSECURED_TABLES = `
  select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
  where n.nspname = 'public' and c.relkind in ('r', 'p') and not (
    c.relrowsecurity and c.relforcerowsecurity
    and exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant_rows'))
  order by 1`;
