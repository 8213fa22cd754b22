import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../../common/config/settings.js';
import { bootstrap } from '../../common/database/bootstrap.js';
import type { DatabaseAddress } from '../../common/database/connection.js';
import type { Credentials } from '../../common/database/credentials-file.js';
import { migrate } from '../../common/database/run-migrations.js';
import { RoleRefused } from '../../common/database/role-proof.js';
import { isDatabaseUnavailable } from '../../common/database/unavailable.js';

const TIMEOUT_MS = 60_000;
const AGAIN_MS = 500;

/**
 * Migrates and makes the first tenant. A database that is still coming up, as in a fresh composition of containers,
 * gets a minute.
 */
export async function prepareDatabase(
  settings: Settings,
  address: DatabaseAddress,
  log: (message: string) => void,
): Promise<Credentials | undefined> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    try {
      const ran = await migrate(address, log);
      if (ran.length > 0) log(`Migrated the database: ${ran.join(', ')}`);
      return await bootstrap(settings, address);
    } catch (error) {
      if (!isDatabaseUnavailable(error) || error instanceof RoleRefused || performance.now() > deadline) throw error;
      log(`The database does not answer yet: ${(error as Error).message}`);
      await sleep(AGAIN_MS);
    }
  }
}
