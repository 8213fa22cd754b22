import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../config/settings.js';
import { localUrl } from '../http/bound-address.js';
import { TenantsStore } from '../keys/tenants.store.js';
import type { DatabaseAddress } from './connection.js';

/** The content of credentials.json (D4): made on the first start, mode 0600. */
export interface Credentials {
  tenant_id: string;
  api_key: string;
  api_url: string;
  tools_url: string;
  daemon_url: string;
  daemon_jwt_secret: string;
}

export const credentialsPath = (settings: Settings): string => join(settings.process.dataDir, 'credentials.json');

/**
 * Makes the first tenant and its key on an empty database and keeps them in the data directory. Does nothing on a
 * database that has a tenant which somebody created. What a daemon stored in it before is adopted. With
 * NODE_ENV=production the key is the one given (settings refuse to load without it) and no file is written.
 * @returns the credentials when this call made them
 */
export async function bootstrap(settings: Settings, address: DatabaseAddress): Promise<Credentials | undefined> {
  const { tenantId, tier, apiKey } = settings.bootstrap;
  const made = await TenantsStore.using(address, async (store) =>
    (await store.isEmpty()) ? store.createTenant(tenantId, tier, { chosenKey: apiKey, adopt: true }) : undefined,
  );
  if (!made) return undefined;
  const credentials: Credentials = {
    tenant_id: tenantId,
    api_key: made.key.apiKey,
    api_url: settings.process.publicUrl ?? localUrl(settings.api.host, settings.api.port),
    tools_url: settings.tools.publicUrl ?? localUrl(settings.tools.host, settings.tools.port),
    daemon_url: localUrl(settings.daemon.httpHost, settings.daemon.httpPort),
    daemon_jwt_secret: randomBytes(32).toString('base64url'),
  };
  if (settings.process.nodeEnv !== 'production') await writeCredentials(settings, credentials);
  return credentials;
}

async function writeCredentials(settings: Settings, credentials: Credentials): Promise<void> {
  await mkdir(settings.process.dataDir, { recursive: true });
  await writeFile(credentialsPath(settings), `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
}

/** The credentials of the first start, where its file is still there. */
export async function readCredentials(settings: Settings): Promise<Credentials | undefined> {
  try {
    return JSON.parse(await readFile(credentialsPath(settings), 'utf8')) as Credentials;
  } catch {
    return undefined;
  }
}
