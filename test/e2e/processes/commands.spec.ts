import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caller } from '../../kit/app.js';
import { PROGRAM } from '../../kit/program.js';
import { removeDataDir, SvcProcess, until } from './svc-process.js';

let folder: string;
let svc: SvcProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-commands-'));
  svc = await SvcProcess.start(join(folder, 'first'));
});
afterAll(async () => {
  if (!svc.hasEnded) await svc.stop();
  for (const name of ['first', 'second', 'third', 'fourth'])
    if (existsSync(join(folder, name))) removeDataDir(join(folder, name));
  rmSync(folder, { recursive: true, force: true });
});

/** Runs one verb with --json on a data directory. */
const run = (dataDir: string, ...args: string[]) => runWith({}, dataDir, ...args);

/** The same with further settings. */
function runWith(
  settings: Record<string, string>,
  dataDir: string,
  ...args: string[]
): { code: number | null; said: any; stderr: string } {
  const env = {
    ...settings,
    PATH: process.env['PATH'],
    SVC_DATA_DIR: join(folder, dataDir),
    SVC_API_PORT: String(svc.port),
    SVC_TOOLS_PORT: String(svc.toolsPort),
    SVCD_HTTP_PORT: new URL(svc.credentials.daemon_url).port,
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args, '--json'], {
    env,
    encoding: 'utf8',
  });
  return { code: status, said: JSON.parse(stdout), stderr };
}

const defaultTenant = () => caller(svc.url, svc.credentials.tenant_id, svc.credentials.api_key);

async function retrieveIds(): Promise<string[]> {
  const { body } = await defaultTenant()('POST', '/v1/retrieve', { query: 'lighthouse', limit: 50 });
  return body.results.map((result: { docId: string }) => result.docId).sort();
}

async function ingest(docIds: string[]): Promise<void> {
  for (const docId of docIds) {
    const document = { corpusId: 'notes', docId, title: docId, content: `The lighthouse of ${docId}.` };
    const body = { tenantId: 'default', url: `https://example.org/${docId}`, ...document };
    expect((await defaultTenant()('POST', '/v1/ingest', body)).status).toBe(202);
  }
  await until('search', async () => (await retrieveIds()).length === docIds.length);
}

const tip = (apiKey: string, credits: number) =>
  caller(svc.url, 'other', apiKey)('POST', '/v1/economy/tip-platform', { agentId: 'scout', credits });

describe('svc doctor', { timeout: 120_000 }, () => {
  it('finds nothing wrong with a running svc', () => {
    const { code, said } = run('first', 'doctor');
    expect(said.checks.filter((check: { ok: boolean }) => !check.ok)).toEqual([]);
    expect({ code, ok: said.ok }).toEqual({ code: 0, ok: true });
    expect(said.checks.map((check: { name: string }) => check.name)).toEqual([
      ...[
        'settings',
        'runtime',
        'data_dir',
        'named_files',
        'auth_mode',
        'port',
        'tools_port',
        'daemon_port',
        'daemon_mcp_port',
        'daemon_grpc_port',
        'database',
        'database_version',
        'clock',
        'migrations',
      ],
      ...['row_security', 'legal_holds', 'roles', 'planner', 'connections', 'job_queue', 'signing_key', 'ledger'],
      'conversions',
      'corruption',
      ...[
        'receipt_chain',
        'transparency_log',
        'sealed_segments',
        'evidence_look',
        'log_progress',
        'checkpoints',
        'witnesses',
        'peer_logs',
        'timestamps',
        'embeddings',
      ],
    ]);
  });

  it('makes no database where none is', () => {
    const { said } = run('never', 'doctor');
    expect(said.checks.at(-1)).toEqual({
      name: 'database',
      ok: true,
      detail: 'none yet; the first "svc start" makes it',
    });
    expect(existsSync(join(folder, 'never'))).toBe(false);
  });
});

const WITHOUT = ['--without-checkpoint', '--without-erasures'];

describe('svc backup and svc restore', { timeout: 120_000 }, () => {
  const file = (): string => join(folder, 'backup.tar.gz');

  it('carry a running svc whole to another data directory', async () => {
    await ingest(['alfa', 'bravo', 'charlie']);
    const made = run('first', 'tenant', 'create', 'other').said;
    const granted = run('first', 'credits', 'grant', 'other', 'scout', '80', '--reason', 'for the test');
    expect(granted).toMatchObject({ code: 0, said: { tenant_id: 'other', agent_id: 'scout', own_balance: 80 } });
    expect((await tip(made.api_key, 30)).status).toBe(201);
    const keys = ['--passphrase-file', join(folder, 'passphrase')];
    writeFileSync(keys[1]!, 'correct horse\n');
    const plain = join(folder, 'plain.tar.gz');
    expect(run('first', 'backup', plain)).toMatchObject({ code: 0, said: { keys: false } });
    const content = gunzipSync(readFileSync(plain)).toString('latin1');
    expect([content.includes('PRIVATE KEY'), content.includes('files/keys/first-key.pem')]).toEqual([false, true]);
    expect(run('first', 'backup', file(), '--with-keys').said.error).toMatch(/go together/);
    expect(run('first', 'backup', file(), '--with-keys', ...keys)).toMatchObject({ code: 0, said: { file: file() } });
    expect(gunzipSync(readFileSync(file())).toString('latin1')).not.toContain('PRIVATE KEY');
    const pin = run('first', 'key', 'pin').said.verifier_key;
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const credentials = svc.credentials;
    await svc.stop();

    const kept = { SVC_CHECKPOINT_DIR: join(folder, 'first', 'checkpoints') };
    writeFileSync(join(folder, 'wrong'), 'incorrect horse');
    const refused = runWith(kept, 'second', 'restore', file(), '--passphrase-file', join(folder, 'wrong'));
    expect(refused.said.error).toMatch(/passphrase does not open the keys/);
    const restored = runWith(kept, 'second', 'restore', file(), ...keys);
    expect(restored).toMatchObject({ code: 0, said: { log: { origin: 'svc.local/log/2' } } });
    expect(restored.said.log.last_known_size).toBeGreaterThanOrEqual(restored.said.log.restored_size);
    expect(run('second', 'key', 'pin').said.verifier_key).toBe(pin);
    svc = await SvcProcess.start(join(folder, 'second'));
    expect(svc.credentials).toEqual(credentials);
    expect(await retrieveIds()).toEqual(['alfa', 'bravo', 'charlie']);
    const other = caller(svc.url, 'other', made.api_key);
    expect((await other('POST', '/v1/retrieve', { query: 'lighthouse' })).body.results).toEqual([]);
    expect(run('second', 'doctor').said.ok).toBe(true);
    expect((await other('GET', '/v1/credits/scout')).body.breakdown.own).toBe(50);
    expect((await tip(made.api_key, 30)).status).toBe(201);
    expect((await other('GET', '/v1/credits/scout')).body.breakdown.own).toBe(20);
    await until('both tips among the events', async () => {
      const { events } = (await other('GET', '/v1/events?limit=200')).body;
      return events.filter(({ type }: { type: string }) => type === 'platform.tipped').length === 2;
    });
    await ingest(['alfa', 'bravo', 'charlie', 'delta']);
    expect(run('second', 'doctor').said.ok).toBe(true);
    // Two servers and a dozen commands, one after another.
  }, 360_000);

  it('refuses a database that is not empty', async () => {
    const kept = join(folder, 'second', 'checkpoints');
    const names = () => (existsSync(kept) ? readdirSync(kept, { recursive: true, encoding: 'utf8' }) : []);
    await until('the list of erasures', async () => names().includes('erasures'));
    await until('a kept checkpoint', async () => names().some((name) => /^svc\.local.*\//.test(name)));
    const { code, said } = run('second', 'restore', file());
    expect({ code, ok: said.ok }).toEqual({ code: 1, ok: false });
    expect(said.error).toMatch(/^The database is not empty: /);
  });

  it('refuses a backup in which one byte of a row was changed, and leaves nothing behind', () => {
    const content = gunzipSync(readFileSync(file()));
    const at = content.indexOf('The lighthouse of bravo');
    content[at] = 't'.charCodeAt(0);
    const damaged = join(folder, 'damaged.tar.gz');
    writeFileSync(damaged, gzipSync(content));
    expect(run('third', 'restore', damaged, ...WITHOUT).said.error).toMatch(
      /^the backup is damaged: tables\/public\.\w+\/00000001 /,
    );
    expect(run('third', 'restore', damaged.replace('damaged', 'missing')).said.error).toMatch(/no such file/);
    expect(existsSync(join(folder, 'third', 'credentials.json'))).toBe(false);
    expect(run('third', 'restore', file(), ...WITHOUT)).toMatchObject({
      code: 0,
      said: { keys: null },
    });
  });

  it('puts the keys where SVC_SIGNING_KEY_FILE says, in the place of none, and reads the file to its end', () => {
    const longer = join(folder, 'longer.tar.gz');
    writeFileSync(longer, gzipSync(Buffer.concat([gunzipSync(readFileSync(file())), Buffer.alloc(512, 'x')])));
    const named = { SVC_SIGNING_KEY_FILE: join(folder, 'named', 'key.pem') };
    const restore = (from: string) =>
      runWith(named, 'fourth', 'restore', from, ...WITHOUT, '--passphrase-file', join(folder, 'passphrase'));
    expect(restore(longer).said.error).toMatch(/^the file is damaged: /);
    expect(existsSync(named.SVC_SIGNING_KEY_FILE)).toBe(false);
    expect(restore(file())).toMatchObject({ code: 0, said: { keys: named.SVC_SIGNING_KEY_FILE } });
    expect(existsSync(join(folder, 'fourth', 'keys', 'signing-key.pem'))).toBe(false);
    expect(restore(file()).said.error).toMatch(/^SVC_SIGNING_KEY_FILE names .* exists already/);
  });

  it('says of a key file that is missing what helps, and not to restore a backup', () => {
    const settings = { SVC_SIGNING_KEY_FILE: join(folder, 'named', 'other.pem') };
    const checks: { name: string; ok: boolean; remedy?: string }[] = runWith(settings, 'fourth', 'doctor').said.checks;
    for (const name of ['receipt_chain', 'transparency_log', 'checkpoints'])
      expect(checks.find((check) => check.name === name)).toEqual({
        name,
        ok: false,
        detail: expect.stringContaining('SVC_SIGNING_KEY_FILE: cannot use the signing key'),
        remedy: expect.stringMatching(/^Put the key file /),
      });
  });

  it('begins a new chain of keys where the old ones are lost', () => {
    expect(
      run('third', 'doctor').said.checks.find(({ name }: { name: string }) => name === 'signing_key'),
    ).toMatchObject({
      ok: false,
      detail: expect.stringContaining('does not exist'),
    });
    expect(run('third', 'key', 'rotate-signing').said.error).toMatch(/does not exist.*--new-chain/);
    expect(run('third', 'key', 'rotate-signing', '--new-chain')).toMatchObject({ code: 0 });
    const doctor = run('third', 'doctor').said;
    expect(doctor.checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
    expect(run('third', 'key', 'pin').said.verifier_key).not.toBe(run('second', 'key', 'pin').said.verifier_key);
  });
});
