import { randomBytes } from 'node:crypto';
import { chown, mkdir, rename, stat, writeFile } from 'node:fs/promises';
import type { Settings } from '../config/settings.js';
import { localUrl } from '../http/bound-address.js';
import { TenantsStore } from '../keys/tenants.store.js';
import type { DatabaseAddress } from './connection.js';
import { credentialsPath, curlHeadersPath, readCredentials, type Credentials } from './credentials-file.js';

/** What of the file stands in for a secret that the environment does not give. */
type KeptSecret = 'daemon_jwt_secret' | 'payment_webhook_secret';

/**
 * Makes the first tenant and its key on an empty database and keeps them in the data directory. Makes no tenant in a
 * database that has one which somebody created; a file of an earlier version gets the secrets it lacks. What a daemon
 * stored in it before is adopted. The headers for curl are written with it, before any app answers. With
 * NODE_ENV=production the key is the one given (settings refuse to load without it) and no file is written.
 * @returns the credentials when this call made them
 */
export function bootstrap(settings: Settings, address: DatabaseAddress): Promise<Credentials | undefined> {
  const { tenantId, tier, apiKey } = settings.bootstrap;
  const isProduction = settings.process.nodeEnv === 'production';
  return TenantsStore.using(address, async (store) => {
    // Processes that start at the same moment must find one file, with one secret.
    await store.lockBootstrap();
    const made = (await store.isEmpty())
      ? await store.createTenant(tenantId, tier, { chosenKey: apiKey, adopt: true })
      : undefined;
    const credentials = made && makeCredentials(settings, made.key.apiKey);
    if (isProduction) return credentials;
    if (credentials) await writeCredentials(settings, credentials);
    else await addMissingSecrets(settings);
    await writeCurlHeaders(settings);
    return credentials;
  });
}

function makeCredentials(settings: Settings, apiKey: string): Credentials {
  return {
    tenant_id: settings.bootstrap.tenantId,
    api_key: apiKey,
    api_url: settings.process.publicUrl ?? localUrl(settings.api.host, settings.api.port),
    tools_url: settings.tools.publicUrl ?? localUrl(settings.tools.host, settings.tools.port),
    daemon_url: localUrl(settings.daemon.httpHost, settings.daemon.httpPort),
    daemon_jwt_secret: makeSecret(),
    payment_webhook_secret: makeSecret(),
  };
}

const makeSecret = (): string => randomBytes(32).toString('base64url');

async function writeCredentials(settings: Settings, credentials: Credentials): Promise<void> {
  await mkdir(settings.process.dataDir, { recursive: true });
  await writeWhole(credentialsPath(settings), format(credentials));
}

async function writeCurlHeaders(settings: Settings): Promise<void> {
  const kept = await readCredentials(settings);
  if (!kept) return;
  await writeWhole(curlHeadersPath(settings), `x-tenant-id: ${kept.tenant_id}\nx-api-key: ${kept.api_key}\n`);
}

/** Whoever reads the file meanwhile finds what was there before or the whole of what is new. */
async function writeWhole(file: string, text: string): Promise<void> {
  const before = await stat(file).catch(() => undefined);
  const whole = `${file}.${process.pid}`;
  await writeFile(whole, text, { mode: 0o600, flush: true });
  // Whoever owned the file before can still read it.
  if (before) await chown(whole, before.uid, before.gid);
  await rename(whole, file);
}

const format = (credentials: Credentials): string => `${JSON.stringify(credentials, null, 2)}\n`;

/** A file of a version that made no payment webhook secret gets one; its other members stay as they are. */
async function addMissingSecrets(settings: Settings): Promise<void> {
  const kept = await readCredentials(settings);
  if (!kept || isSecret(kept.payment_webhook_secret)) return;
  await writeWhole(credentialsPath(settings), format({ ...kept, payment_webhook_secret: makeSecret() }));
}

/** A secret of the file; with NODE_ENV=production only the environment counts. */
export async function readKeptSecret(settings: Settings, name: KeptSecret): Promise<string | undefined> {
  if (settings.process.nodeEnv === 'production') return undefined;
  const kept = (await readCredentials(settings))?.[name];
  return isSecret(kept) ? kept : undefined;
}

const isSecret = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** The settings with the payment webhook secret of the file where the environment gives none. */
export async function withPaymentSecret(settings: Settings): Promise<Settings> {
  const { economy } = settings;
  const paymentWebhookSecret =
    economy.paymentWebhookSecret ?? (await readKeptSecret(settings, 'payment_webhook_secret'));
  return { ...settings, economy: { ...economy, paymentWebhookSecret } };
}
