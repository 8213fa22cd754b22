import { InvalidArgumentError, type Command } from 'commander';
import type { ApiAddress } from '../common/client/api-client.js';
import type { Settings } from '../common/config/settings.js';
import { readCredentials, type Credentials } from '../common/database/credentials-file.js';
import { HEADER_TEXT } from '../common/http/headers.js';
import { TENANT_NAME, TENANT_NAME_FORM } from '../common/keys/tenant-name.js';
import { UsageError } from './output.js';

/** How a verb that calls the API is shown its server. */
export interface ServerOptions {
  api?: string;
  tenant?: string;
  apiKey?: string;
}

export const withServerOptions = (command: Command): Command =>
  command
    .option('--api <url>', 'the server (default: SVC_API_URL, or the one of credentials.json)', readAddress)
    .option('--tenant <tenant>', 'the tenant (default: SVC_TENANT_ID, or the one of credentials.json)', readTenant)
    .option('--api-key <key>', 'its API key; other users may see it here, so rather set SVC_API_KEY', readApiKey);

/** @throws InvalidArgumentError */
export function readAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // What `fetch` does not take, or would send elsewhere than to the paths of the server.
  if (url && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === '') return text;
  throw new InvalidArgumentError('Give an address such as https://svc.example.com:8090.');
}

/** @throws InvalidArgumentError */
export function readTenant(text: string): string {
  if (TENANT_NAME.test(text)) return text;
  throw new InvalidArgumentError(`Give the name of a tenant: ${TENANT_NAME_FORM}.`);
}

/**
 * With a key that no header can bear, the server would look as if it did not answer.
 * @throws UsageError, which shows no key
 */
export function readApiKey(text: string): string {
  if (HEADER_TEXT.test(text)) return text;
  throw new UsageError('--api-key takes visible ASCII, without white space or a line end around it');
}

/**
 * The server that options, settings or the credentials of the first start name.
 * @throws UsageError where server, tenant or key are missing
 */
export async function serverOf(settings: Settings, options: ServerOptions): Promise<ApiAddress> {
  const { ingest: own, tools } = settings;
  const choice = {
    url: options.api ?? tools.apiUrl,
    tenant: options.tenant ?? own.tenantId,
    apiKey: options.apiKey ?? own.apiKey,
  };
  const address = addressOf(choice, await readCredentials(settings));
  if (address) return address;
  const given: [string, string | undefined][] = Object.entries({
    'server (--api, SVC_API_URL)': choice.url,
    'tenant (--tenant, SVC_TENANT_ID)': choice.tenant,
    'API key (SVC_API_KEY, --api-key)': choice.apiKey,
  });
  const missing = given.flatMap(([name, value]) => (value === undefined ? [name] : []));
  throw new UsageError(
    `Which ${missing.join(', which ')}? ${settings.process.dataDir} has no credentials.json of ${choice.url ?? 'a server'}. Give what is missing, or set SVC_DATA_DIR`,
  );
}

/** How the user names a server; nothing at all is fine. */
export interface ServerChoice {
  url?: string | undefined;
  tenant?: string | undefined;
  apiKey?: string | undefined;
}

const origin = (url: string): string => url.replace(/\/+$/, '');

/**
 * The server that was named, with what the credentials of the first start add to it.
 * @param kept they are sent to their own server alone, whatever else is named
 */
export function addressOf(choice: ServerChoice, kept: Credentials | undefined): ApiAddress | undefined {
  const { url = kept?.api_url } = choice;
  const own = kept && url !== undefined && origin(url) === origin(kept.api_url) ? kept : undefined;
  const { tenant = own?.tenant_id, apiKey = own?.api_key } = choice;
  return url && tenant && apiKey ? { url: origin(url), tenantId: tenant, apiKey } : undefined;
}
