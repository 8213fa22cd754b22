import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiAddress } from '../../common/client/api-client.js';
import { withTemporaryServer } from '../../common/client/temporary-server.js';
import { loadSettings } from '../../common/config/settings.js';
import { readCredentials } from '../../common/database/credentials-file.js';
import { UsageError } from '../output.js';
import type { ProgressOutput } from '../progress-output.js';
import { addressOf, type ServerChoice } from '../server-address.js';

export interface DemoServer extends ApiAddress {
  /** Where the proof pack goes when no file is named. */
  packFile: string;
}

/**
 * Does the work on the server that was named, on the running one of the data directory, or on a temporary one.
 * @throws UsageError when a server is named without a tenant and key
 */
export async function onDemoServer<T>(
  choice: ServerChoice,
  progress: ProgressOutput,
  work: (server: DemoServer) => Promise<T>,
): Promise<T> {
  const settings = loadSettings();
  const { dataDir } = settings.process;
  const run = (server: ApiAddress): Promise<T> => {
    mkdirSync(dataDir, { recursive: true });
    return work({ ...server, packFile: join(dataDir, 'demo-proof-pack.json') });
  };
  const address = addressOf(choice, await readCredentials(settings));
  if (choice.url && !address)
    throw new UsageError(
      `There is no credentials.json of that server in ${dataDir}, so --api needs --tenant and --api-key too`,
    );
  if (address && (choice.url || (await isReady(address.url)))) {
    progress.line(`Using the server at ${address.url} as tenant ${address.tenantId}\n`);
    return run(address);
  }
  progress.line('No server is running for this data directory: using a temporary one, which is removed at the end\n');
  return withTemporaryServer({}, run);
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3000) })).ok;
  } catch {
    return false;
  }
}
