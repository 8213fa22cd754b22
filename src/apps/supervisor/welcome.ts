import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../common/config/settings.js';
import { credentialsPath, readCredentials, type Credentials } from '../../common/database/bootstrap.js';

/**
 * What a person who just started svc needs: addresses, where the credentials are, and two commands to try. The commands read the
 * key from a file (curl's -H @file), so that it is neither printed at every start nor seen in the list of processes.
 *
 * @param made the credentials when this start made them: only then the key is shown
 */
export async function describeWelcome(settings: Settings, url: string, made: Credentials | undefined): Promise<string> {
  const lines = ['', `svc is ready at ${url}`, `  Swagger      ${url}/docs`, `  health       ${url}/readyz`];
  const kept = settings.process.nodeEnv === 'production' ? undefined : await readCredentials(settings);
  if (kept) lines.push(...(await describeCredentials(settings, url, kept, made)));
  else lines.push('  credentials  as given; "svc key create <tenant>" makes another key');
  return `${lines.join('\n')}\n\n`;
}

async function describeCredentials(
  settings: Settings,
  url: string,
  { tenant_id, api_key }: Credentials,
  made: Credentials | undefined,
): Promise<string[]> {
  const headers = join(settings.process.dataDir, 'curl-headers.txt');
  await writeFile(headers, `x-tenant-id: ${tenant_id}\nx-api-key: ${api_key}\n`, { mode: 0o600 });
  return [
    `  credentials  ${credentialsPath(settings)}`,
    ...(made ? [`  tenant       ${tenant_id}`, `  API key      ${api_key} (shown this once)`] : []),
    '',
    'Try it: ingest a document, then retrieve from it',
    ...curls(url, tenant_id, headers).map((command) => `  ${command}`),
  ];
}

function curls(url: string, tenantId: string, headers: string): string[] {
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
  return [
    `curl -sS ${url}/v1/ingest ${common} ${key} -d ${quote(JSON.stringify(document))}`,
    `sleep 1; curl -sS ${url}/v1/retrieve ${common} -d ${quote(JSON.stringify({ query: 'When was the lighthouse lit?' }))}`,
  ];
}

/** One word for a POSIX shell. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
