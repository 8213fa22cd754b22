import type { Settings } from './settings.js';

/** Where other processes reach the API: as told, else at the address it binds, which for `any address` is this machine's own. */
export function apiUrlOf({ api, tools }: Settings): string {
  if (tools.apiUrl) return tools.apiUrl;
  const host = api.host === '0.0.0.0' || api.host === '::' ? '127.0.0.1' : api.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${api.port}`;
}
