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

/**
 * Where clients reach an MCP endpoint: that of the tool service by SVC_TOOLS_PUBLIC_URL, of the daemon by
 * SVCD_MCP_PUBLIC_URL, else at the address it binds.
 * @throws SettingsInvalid when it takes a free port and the setting is not set
 */
export function mcpUrlOf({ tools, daemon }: Settings, server: 'tools' | 'daemon'): string {
  const [publicUrl, host, port] =
    server === 'tools'
      ? [tools.publicUrl, tools.host, tools.port]
      : [daemon.mcpPublicUrl, daemon.mcpHost, daemon.mcpPort];
  if (publicUrl !== undefined) return `${publicUrl.replace(/\/+$/, '')}/mcp`;
  if (port !== 0) return `${localUrl(host, port)}/mcp`;
  const [name, portName] =
    server === 'tools' ? ['SVC_TOOLS_PUBLIC_URL', 'SVC_TOOLS_PORT'] : ['SVCD_MCP_PUBLIC_URL', 'SVCD_MCP_PORT'];
  throw new SettingsInvalid([`${name} is required here with ${portName}=0: nothing else says where clients reach it`]);
}

/** The same where people sign in for it (SVC_OIDC_ISSUER), else undefined. @throws SettingsInvalid */
export const signInUrlOf = (settings: Settings, server: 'tools' | 'daemon'): string | undefined =>
  settings.oidc.issuer === undefined ? undefined : mcpUrlOf(settings, server);
