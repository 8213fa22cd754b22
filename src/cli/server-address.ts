import type { Command } from 'commander';
import type { ApiAddress } from '../common/client/api-client.js';
import type { Settings } from '../common/config/settings.js';
import { readCredentials, type Credentials } from '../common/database/credentials-file.js';
import { UsageError } from './output.js';

/** How a verb that calls the API is shown its server. */
export interface ServerOptions {
  api?: string;
  tenant?: string;
  apiKey?: string;
}

export const withServerOptions = (command: Command): Command =>
  command
    .option('--api <url>', 'the server (default: SVC_API_URL, or the one of credentials.json)')
    .option('--tenant <tenant>', 'the tenant (default: SVC_TENANT_ID, or the one of credentials.json)')
    .option('--api-key <key>', 'its API key; other users may see it here, so rather set SVC_API_KEY');

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
  throw new UsageError(
    `No server, tenant and key: ${settings.process.dataDir} has no credentials.json of that server. Set SVC_API_URL, SVC_TENANT_ID and SVC_API_KEY, or SVC_DATA_DIR`,
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
