import { resolve } from 'node:path';
import { apiUrlOf, daemonUrlOf, mcpUrlOf } from '../../common/config/server-urls.js';
import type { Settings } from '../../common/config/settings.js';
import { readCredentials } from '../../common/database/credentials-file.js';
import { UsageError, UserError } from '../output.js';
import type { McpClient, McpConnection, Secret } from './recipes.rules.js';

export interface ConnectionOptions {
  http?: true;
  stdio?: true;
  daemon?: true;
  oauth?: true;
  toolSet?: string;
  tenant?: string;
  withKey?: true;
}

/**
 * How a client reaches this installation, as the settings say.
 * @throws UsageError, UserError with the remedy
 */
export async function connectionOf(
  client: McpClient,
  options: ConnectionOptions,
  settings: Settings,
): Promise<McpConnection> {
  const isStdio = options.stdio ?? (client === 'claude-desktop' && !options.http && !options.oauth);
  refuseMixed(client, options, isStdio, settings);
  const tenant = options.tenant ?? settings.bootstrap.tenantId;
  return isStdio ? stdioOf(options, tenant, settings) : httpOf(client, options, tenant, settings);
}

/** @throws UsageError, UserError */
function refuseMixed(client: McpClient, options: ConnectionOptions, isStdio: boolean, settings: Settings): void {
  const { http, stdio, daemon, oauth, withKey } = options;
  if (http && stdio) throw new UsageError('--http and --stdio exclude each other');
  if (isStdio && daemon)
    throw new UsageError('--daemon is reached over HTTP; leave it out: the tools of svc stdio work at both servers');
  if (isStdio && oauth) throw new UsageError('--oauth is for HTTP; svc stdio is called with an API key');
  if (oauth && withKey) throw new UsageError('--oauth and --with-key exclude each other');
  if (oauth && settings.oidc.issuer === undefined)
    throw new UserError('Nobody can sign in: set SVC_OIDC_ISSUER (docs/mcp-clients.md), or leave out --oauth');
  if (client === 'claude-desktop' && !isStdio && settings.oidc.issuer === undefined)
    throw new UserError(
      'Claude Desktop sends no API key over HTTP: set SVC_OIDC_ISSUER (docs/mcp-clients.md) so that its user signs in, or use --stdio',
    );
}

async function httpOf(
  client: McpClient,
  { daemon, oauth, toolSet, withKey }: ConnectionOptions,
  tenant: string,
  settings: Settings,
): Promise<McpConnection> {
  const url = mcpUrlOf(settings, daemon ? 'daemon' : 'tools') + (toolSet ? `?tool_set=${toolSet}` : '');
  if (oauth || client === 'claude-desktop') return { kind: 'http', url, headers: {} };
  const key = { variable: 'SVC_API_KEY', about: `The API key of the tenant ${tenant}` };
  const headers = { 'x-tenant-id': tenant, 'x-api-key': await secretOf(key, withKey, () => keyOf(tenant, settings)) };
  return { kind: 'http', url, headers };
}

async function stdioOf(
  { toolSet, withKey }: ConnectionOptions,
  tenant: string,
  settings: Settings,
): Promise<McpConnection> {
  const { database, process: own } = settings;
  const key = { variable: 'MCP_STDIO_API_KEY', about: `The API key of the tenant ${tenant}` };
  const url = { variable: 'SVC_DATABASE_URL', about: 'The database of this svc, with its password' };
  return {
    kind: 'stdio',
    command: process.execPath,
    args: [resolve(process.argv[1]!), 'stdio'],
    env: {
      SVC_DATA_DIR: own.dataDir,
      SVC_API_URL: apiUrlOf(settings),
      SVC_DAEMON_URL: daemonUrlOf(settings),
      MCP_STDIO_TENANT_ID: tenant,
      ...(toolSet ? { MCP_STDIO_TOOL_SET: toolSet } : {}),
      MCP_STDIO_API_KEY: await secretOf(key, withKey, () => keyOf(tenant, settings)),
      ...(database.url === undefined
        ? {}
        : { SVC_DATABASE_URL: await secretOf(url, withKey, () => Promise.resolve(database.url!)) }),
    },
  };
}

const secretOf = async (secret: Secret, isShown: true | undefined, read: () => Promise<string>): Promise<Secret> =>
  isShown ? { ...secret, value: await read() } : secret;

/** @throws UserError where it is not at hand: of other keys nothing but digests is kept */
async function keyOf(tenant: string, settings: Settings): Promise<string> {
  const { tools, bootstrap } = settings;
  const kept = await readCredentials(settings);
  const known = [
    ...(tools.stdioTenantId === tenant ? [tools.stdioApiKey] : []),
    ...(bootstrap.tenantId === tenant ? [bootstrap.apiKey] : []),
    ...(kept?.tenant_id === tenant ? [kept.api_key] : []),
  ].find((key) => key !== undefined);
  if (known !== undefined) return known;
  throw new UserError(
    `No key of ${tenant} is at hand: svc key create ${tenant} makes one. Set MCP_STDIO_TENANT_ID=${tenant} and MCP_STDIO_API_KEY to it, or leave out --with-key`,
  );
}
