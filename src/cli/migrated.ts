import { loadSettings, type Settings } from '../common/config/settings.js';
import { bootstrap } from '../common/database/bootstrap.js';
import type { Credentials } from '../common/database/credentials-file.js';
import { withConnection, type DatabaseAddress } from '../common/database/connection.js';
import { migrate } from '../common/database/run-migrations.js';
import type { Query } from '../common/tenancy/cross-tenant.js';
import { openDatabase } from '../common/database/open.js';
import { report } from './output.js';

export interface MigratedDatabase {
  settings: Settings;
  address: DatabaseAddress;
  /** The migrations that ran now. */
  ran: string[];
  /** The first tenant's credentials, when they were made now. */
  made?: Credentials;
}

/**
 * Opens the database of the settings, brings it to the newest migration with its first tenant, does the work, and
 * closes it.
 */
export async function withMigratedDatabase<T>(
  work: (database: MigratedDatabase) => Promise<T>,
  replacesPasswords = false,
): Promise<T> {
  const settings = loadSettings();
  const { address, started, close } = await openDatabase(settings, () => undefined);
  if (started) report(`PostgreSQL of ${settings.process.dataDir} started for this command; it stops with it`);
  try {
    const ran = await migrate(address, report, { replacesPasswords });
    return await work({ settings, address, ran, made: await bootstrap(settings, address) });
  } finally {
    await close();
  }
}

/** The same for statements over all tenants, as svc_operator on one connection. */
export const acrossTenants = <T>(work: (query: Query, settings: Settings) => Promise<T>): Promise<T> =>
  withMigratedDatabase(({ settings, address }) =>
    withConnection(
      address,
      'svc_operator',
      (client) =>
        work(
          async <Row>(sql: string, parameters: unknown[] = []) => (await client.query(sql, parameters)).rows as Row[],
          settings,
        ),
      { settings },
    ),
  );
