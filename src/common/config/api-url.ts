import { localUrl } from '../http/bound-address.js';
import { SettingsInvalid, type Settings } from './settings.js';

/**
 * Where other processes reach the API: SVC_API_URL, else the address it binds. No trailing slash.
 * @throws SettingsInvalid when the API takes a free port and SVC_API_URL is not set
 */
export function apiUrlOf({ api, tools }: Settings): string {
  if (tools.apiUrl !== undefined) return tools.apiUrl.replace(/\/+$/, '');
  if (api.port !== 0) return localUrl(api.host, api.port);
  throw new SettingsInvalid(['SVC_API_URL is required with SVC_API_PORT=0: nothing else says where the API is']);
}
