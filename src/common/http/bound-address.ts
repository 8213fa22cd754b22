import { SettingsInvalid, type Settings } from '../config/settings.js';

/** Binding to every address is none that a client could name. */
export const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** An address as it is written in a URL. */
export const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Where a program of this machine reaches what is bound to an address. */
export const localUrl = (host: string, port: number): string =>
  `http://${host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : bracketed(host)}:${port}`;

/**
 * Where the tenant API is reached: SVC_API_URL, else the address the API binds. Without a slash at its end.
 * @throws SettingsInvalid when the API takes a free port that nobody told of
 */
export function apiUrlOf({ tools, api }: Settings): string {
  if (tools.apiUrl !== undefined) return tools.apiUrl.replace(/\/+$/, '');
  if (api.port !== 0) return localUrl(api.host, api.port);
  throw new SettingsInvalid(['SVC_API_URL is required with SVC_API_PORT=0: nothing else says where the API is']);
}
