import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createTenants } from '../../kit/daemon.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { freePort } from '../../kit/free-port.js';
import { ServerProcess } from '../../kit/server-process.js';
import { startAuthority, type TestAuthority } from '../../kit/signing-chain.js';
import { bearerOf, GATEWAY_ENV, signRequest } from '../../medium/provenance/given.js';
import { until } from '../processes/svc-process.js';

let authority: TestAuthority;
let database: TestDatabase;
let folder: string;
let daemon: ServerProcess;
let mcpPort: number;
beforeAll(async () => {
  authority = await startAuthority();
  database = await freshDatabase();
  await createTenants(database, ['alfa']);
  folder = mkdtempSync(join(tmpdir(), 'svc-key-traces-'));
  mcpPort = await freePort();
  const env = {
    ...GATEWAY_ENV,
    SVC_LOG_LEVEL: 'debug',
    SVCD_MCP_PORT: String(mcpPort),
    // A heap snapshot at SIGUSR2; V8 collects garbage before it writes one.
    NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${folder}`,
  };
  daemon = await ServerProcess.at(database.url, folder, env, 'daemon');
  await daemon.start();
});
afterAll(async () => {
  await daemon.stop('SIGTERM');
  await database.drop();
  await authority.close();
  rmSync(folder, { recursive: true, force: true });
});

const snapshots = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.heapsnapshot'));

/** How many requests the daemon answers after the last one with a key: each is a turn of its event loop. */
const TURNS = 10;

async function heapSnapshot(): Promise<string> {
  // A request is answered a moment before its last callback runs, and that holds what it was sent.
  for (let turn = 0; turn < TURNS; turn += 1) await fetch(`${daemon.url}/readyz`);
  const before = snapshots().length;
  process.kill(daemon.pid, 'SIGUSR2');
  await until('a heap snapshot', () => snapshots().length > before);
  const name = join(folder, snapshots().sort().at(-1)!);
  // It is whole once it ends as JSON does.
  await until('its end', () => readFileSync(name, 'utf8').trimEnd().endsWith('}'));
  return readFileSync(name, 'utf8');
}

/** What of a key would be found in text: its lines, and its number as base64url. */
const secretsIn = (pem: string): string[] => [
  ...pem
    .split('\n')
    .filter((line) => line.length > 20 && !line.startsWith('-----'))
    .slice(0, -1),
  createPrivateKey(pem).export({ format: 'jwk' }).d!,
];

const post = async (path: string, body: unknown) => {
  const headers = { authorization: `Bearer ${await bearerOf('provenance:write')}`, 'content-type': 'application/json' };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(`${daemon.url}/v1/provenance/${path}`, { method: 'POST', headers, body: text });
  return { status: answer.status, text: await answer.text() };
};

it('leaves no trace of a key in heap, log, answers or database', { timeout: 300_000 }, async () => {
  const signer = await authority.certify('P-256');
  const refused = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  });
  const overMcp = await authority.certify('P-256');
  const answers = [
    await post('sign', signRequest(signer)),
    await post('sign', signRequest(signer, { signing_key_pem: refused })),
    await post('sign', signRequest(signer, { signing_key_pem: refused, unknown: 1 })),
    await post('sign', JSON.stringify(signRequest(signer, { signing_key_pem: refused })).slice(0, -3)),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 400]);
  const headers = { authorization: `Bearer ${await bearerOf('provenance:write')}` };
  const client = new Client({ name: 'signer', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${mcpPort}/mcp`), { requestInit: { headers } }),
  );
  const called = await client.callTool({ name: 'sign_content', arguments: signRequest(overMcp) });
  expect(called.isError ?? false).toBe(false);
  await client.close();

  const secrets = [signer.key, String(refused), overMcp.key].flatMap(secretsIn);
  expect(secrets.length).toBeGreaterThan(3);
  const heap = await heapSnapshot();
  // What is looked for would be found: this stands in the code of the route.
  expect(heap).toContain('/v1/provenance/verify-record');
  const places = { heap, log: daemon.output, answers: JSON.stringify([answers, called]), rows: await dump() };
  for (const [place, text] of Object.entries(places))
    expect([place, secrets.filter((secret) => text.includes(secret)).length]).toEqual([place, 0]);
});

/** Every row of every table that the test may read, as text. */
async function dump(): Promise<string> {
  const tables = await database.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')
        and has_table_privilege(format('%I.%I', schemaname, tablename), 'select')`,
  );
  const rows: string[] = [];
  for (const { name } of tables)
    rows.push(JSON.stringify(await database.query(`select t::text as row from ${name} t`)));
  return rows.join('\n');
}
