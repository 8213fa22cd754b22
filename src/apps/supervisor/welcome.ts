import { isFlagOn } from '../../common/config/daemon/flag-state.js';
import { isDevMode } from '../../common/config/daemon/auth-mode.js';
import type { Settings } from '../../common/config/settings.js';
import {
  credentialsPath,
  curlHeadersPath,
  readCredentials,
  type Credentials,
} from '../../common/database/credentials-file.js';

/** Where clients reach each app. */
export interface Addresses {
  api: string;
  tools: string;
  daemon: string;
}

/**
 * What a person who just started svc needs: addresses, where the credentials are, and commands to try. The commands
 * read the key from a file (curl's -H @file), so that it is neither printed at every start nor seen in the list of
 * processes.
 *
 * @param made the credentials when this start made them: only then the key is shown
 */
export async function describeWelcome(
  settings: Settings,
  addresses: Addresses,
  made: Credentials | undefined,
): Promise<string> {
  const { api, tools, daemon } = addresses;
  const lines = ['', `svc is ready at ${api}`, `  Swagger      ${api}/docs`, `  health       ${api}/readyz`];
  lines.push(`  tools        ${tools} (JSON-RPC at /rpc, MCP at /mcp, Swagger at /docs)`);
  lines.push(
    `  daemon       ${daemon} (facts, graph, streams, evidence; Swagger at /docs; SVCD_AUTH_MODE=${settings.daemon.authMode})`,
  );
  if (settings.daemon.authMode !== undefined && isDevMode(settings.daemon.authMode))
    lines.push(
      '               everybody on this machine may do everything there; SVCD_AUTH_MODE=jwt_hs256 asks for tokens (svc token)',
    );
  if (isFlagOn(settings.flags, 'console')) lines.push(`  console      ${daemon}/console (sign in with the API key)`);
  const kept = settings.process.nodeEnv === 'production' ? undefined : await readCredentials(settings);
  if (kept) lines.push(...describeCredentials(settings, addresses, kept, made));
  else lines.push('  credentials  as given; "svc key create <tenant>" makes another key');
  return `${lines.join('\n')}\n\n`;
}

function describeCredentials(
  settings: Settings,
  addresses: Addresses,
  { tenant_id, api_key }: Credentials,
  made: Credentials | undefined,
): string[] {
  const headers = curlHeadersPath(settings);
  return [
    `  credentials  ${credentialsPath(settings)}`,
    ...(made ? [`  tenant       ${tenant_id}`, `  API key      ${api_key} (shown this once)`] : []),
    '',
    'Try it: ingest a document, then retrieve from it, by HTTP and as an agent calls the tool; store a fact',
    ...curls(addresses, tenant_id, headers, settings.daemon.authMode === 'dev_scopes').map((command) => `  ${command}`),
  ];
}

function curls({ api, tools, daemon }: Addresses, tenantId: string, headers: string, isDev: boolean): string[] {
  const document = {
    tenantId,
    corpusId: 'notes',
    docId: 'hello',
    title: 'Hello',
    content: 'The lighthouse at Skerryvore was lit for the first time in 1844.',
    url: 'https://example.org/hello',
  };
  const common = `-H @${quote(headers)} -H 'content-type: application/json'`;
  const key = `-H "x-idempotency-key: try-$(date +%s)"`;
  const query = 'When was the lighthouse lit?';
  const call = { jsonrpc: '2.0', id: 1, method: 'query_vault', params: { query } };
  return [
    `curl -sS ${api}/v1/ingest ${common} ${key} -d ${quote(JSON.stringify(document))}`,
    `sleep 3; curl -sS ${api}/v1/retrieve ${common} -d ${quote(JSON.stringify({ query }))}`,
    `curl -sS ${tools}/rpc ${common} -d ${quote(JSON.stringify(call))}`,
    ...(isDev ? [storeFact(daemon)] : []),
  ];
}

const storeFact = (daemon: string): string => {
  const fact = { entity: 'lighthouse:skerryvore', key: 'first_lit', value: '1844-02-01' };
  const headers = `-H 'x-svc-scopes: facts:write' -H 'content-type: application/json'`;
  return `curl -sS -X PUT ${daemon}/v1/facts ${headers} -d ${quote(JSON.stringify(fact))}`;
};

/** One word for a POSIX shell. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
