import { Injectable } from '@nestjs/common';
import { UNSECURED_TABLES } from '../../common/database/unsecured-tables.js';
import { Tenancy } from '../../common/tenancy/tenancy.js';
import { MIGRATIONS } from '../../migrations/index.js';

/** One thing a process cannot work without; it asks the real thing. */
export interface ReadinessCheck {
  name: string;
  /** @returns what is wrong; undefined when it holds. A failure counts as what is wrong. */
  find(): Promise<string | undefined>;
}

/** What one app needs beside the database. */
export abstract class OwnChecks {
  abstract all(): ReadinessCheck[];
}

/** What every app needs of the database. */
@Injectable()
export class DatabaseChecks {
  constructor(private readonly tenancy: Tenancy) {}

  /** In the order in which they are told: the first that fails usually explains the rest. */
  all(): ReadinessCheck[] {
    return [
      { name: 'database', find: () => this.database() },
      { name: 'migrations', find: () => this.migrations() },
      { name: 'row_security', find: () => this.rowSecurity() },
    ];
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
}
