import type { ApiAddress } from '../common/client/api-client.js';
import type { Credentials } from '../common/database/bootstrap.js';

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
