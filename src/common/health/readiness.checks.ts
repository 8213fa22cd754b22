import { Injectable } from '@nestjs/common';
import { DatabaseProbe, HELD_BACK_REASON } from '../database/database-probe.js';
import { describeNewerSchema, findSchemaFault, readSchemaState, type SchemaState } from '../database/schema-version.js';
import { UNSECURED_TABLES } from '../database/unsecured-tables.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { checkFor, type Check } from './check.js';

/** What one app needs in addition to the database. */
export abstract class OwnChecks {
  abstract all(): Check[];
}

/** What every app needs of the database. */
@Injectable()
export class DatabaseChecks {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly probe: DatabaseProbe,
  ) {}

  /** In the order in which they are reported: the first that fails usually explains the rest. */
  all(): Check[] {
    return [
      checkFor('database', () => this.database()),
      checkFor('database_roles', () => this.probe.findRoleFault()),
      checkFor('database_write', () => this.probe.findWriteFault()),
      checkFor('migrations', () => this.migrations()),
      checkFor('row_security', () => this.rowSecurity()),
    ];
  }

  private async database(): Promise<string | undefined> {
    const [row] = await this.tenancy.call<{ recovering: boolean }>('select pg_is_in_recovery() as recovering');
    return row?.recovering ? 'the database is read-only (in recovery)' : undefined;
  }

  private async migrations(): Promise<string | undefined> {
    return findSchemaFault(await this.schema());
  }

  /**
   * No failure, but what the operator should know: writes wait, or this process works under the schema of the version
   * that replaces it.
   */
  async notice(): Promise<string | undefined> {
    if (this.probe.isHeldBack) return HELD_BACK_REASON;
    const newer = describeNewerSchema(await this.schema());
    return newer && `${newer}; the schema takes this process, which is to be replaced`;
  }

  private schema(): Promise<SchemaState> {
    return readSchemaState((sql) => this.tenancy.call(sql));
  }

  private async rowSecurity(): Promise<string | undefined> {
    const open = await this.tenancy.call<{ relname: string }>(UNSECURED_TABLES);
    return open.length ? `row-level security is not forced on ${open.map((row) => row.relname).join(', ')}` : undefined;
  }
}
