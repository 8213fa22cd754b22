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

/** The same for whoever can do without. @returns undefined where nothing says where the API is */
export function findApiUrl(settings: Settings): string | undefined {
  try {
    return apiUrlOf(settings);
  } catch (error) {
    if (error instanceof SettingsInvalid) return undefined;
    throw error;
  }
}

/** Where other processes reach the memory daemon: SVC_DAEMON_URL, else the address it binds. No trailing slash. */
export const daemonUrlOf = ({ daemon, tools }: Settings): string =>
  tools.daemonUrl?.replace(/\/+$/, '') ?? localUrl(daemon.httpHost, daemon.httpPort);

/** Where people open the console: SVC_CONSOLE_URL, else at the address the daemon binds. No trailing slash. */
export const consoleUrlOf = (settings: Settings): string =>
  settings.process.consoleUrl?.replace(/\/+$/, '') ??
  `${localUrl(settings.daemon.httpHost, settings.daemon.httpPort)}/console`;
