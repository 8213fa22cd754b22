import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loginUrl } from '../../../src/common/database/connection.js';
import { packEntries } from '../../../src/cli/archive/tar.js';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../../kit/database.js';
import { PROGRAM } from '../../kit/program.js';

const ROOT = join(import.meta.dirname, '../../..');

let folder: string;
let database: TestDatabase;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-exit-'));
  database = await freshDatabase();
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a verb on the database of the test. */
function run(words: string[], environment: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    env: {
      PATH: process.env['PATH'],
      SVC_DATA_DIR: join(folder, 'data'),
      SVC_DATABASE_URL: database.url,
      SVCD_AUTH_MODE: 'dev_scopes',
      ...Object.fromEntries(
        ['SVC_API', 'SVC_TOOLS', 'SVCD_HTTP', 'SVCD_MCP', 'SVCD_GRPC'].map((n) => [`${n}_PORT`, '0']),
      ),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ ...said, code })));
}

/** One sentence, without a stack. */
async function expectFailure(words: string[], sentence: RegExp, environment?: Record<string, string>): Promise<void> {
  const { code, stderr } = await run(words, environment);
  expect([words.join(' '), code, stderr]).toEqual([words.join(' '), 1, expect.stringMatching(sentence)]);
  expect(stderr.match(/^svc: /gm)).toHaveLength(1);
  expect(stderr).not.toMatch(/^ {4}at /m);
}

describe('the command line', { timeout: 120_000 }, () => {
  it('ends with 0 when its help is asked for', async () => {
    for (const words of [['--help'], ['--version'], ['help'], ['tenant', '--help'], ['verify', '--help']])
      expect([words, (await run(words)).code]).toEqual([words, 0]);
  });

  it.each([
    '',
    'nosuch',
    '--nosuch',
    'tenant',
    'tenant nosuch',
    'tenant create',
    'tenant create a/b',
    'tenant create x --tier gold',
    'tenant list extra',
    'key',
    'key create',
    'key rotate default',
    'key revoke default',
    'credits grant default',
    'credits grant default scout none --reason r',
    'token',
    'token --scope nosuch',
    'token --scope facts:read --expires-in never',
    'verify',
    'verify a b',
    'backup',
    'backup keys.tar.gz --with-keys',
    'restore',
    'doctor --nosuch',
    'migrate extra',
    'start nosuch',
    'start --nosuch',
    'stdio extra',
    'demo --folder',
    'ingest',
    'ingest docs',
    'ingest docs --corpus a --shareability all',
    'completion',
    'completion tcsh',
    'demo --url http://127.0.0.1:9',
    'demo --api 127.0.0.1:9',
    'search a --api ftp://127.0.0.1',
    'search a --tenant a/b',
    'search a --api-key clé',
  ])('ends with 2 when it is misused: svc %s', async (line) => {
    const { code, stderr } = await run(line.split(' ').filter(Boolean));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^(error|svc|Usage): /)]);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  it('says in JSON what was wrong with it', async () => {
    const { code, stdout } = await run(['tenant', 'create', '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([2, { ok: false, error: "missing required argument 'tenant'" }]);
  });

  it('ends with 1 when a verb fails, with one sentence', async () => {
    const missing = join(folder, 'missing.tar.gz');
    await expectFailure(['restore', missing], /no such file or directory/);
    await expectFailure(['restore', join(ROOT, 'README.md')], /no backup made by "svc backup"/);
    await expectFailure(['restore', folder], /is a folder/);
    await expectFailure(['backup', join(folder, 'nowhere', 'b.tar.gz')], /There is no folder .*nowhere$/m);
    await expectFailure(['demo', '--folder', join(folder, 'nowhere')], /There is no folder/);
    await expectFailure(['key', 'create', 'nosuch'], /There is no tenant nosuch/);
    await expectFailure(['credits', 'grant', 'nosuch', 'a', '1', '--reason', 'r'], /There is no tenant nosuch/);
    await expectFailure(['stdio'], /MCP_STDIO_API_KEY is not set/);
    await expectFailure(['tenant', 'list'], /SVC_API_PORT/, { SVC_API_PORT: 'abc' });
    const { code, stdout } = await run(['verify', missing]);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^FAIL {2}read /)]);
  });

  it('does not start a daemon that cannot use what a setting names, and doctor says so', async () => {
    const missing = join(folder, 'missing');
    const settings: [string, string, RegExp][] = [
      ['SVC_WITNESS_KEY_FILE', missing, /SVC_WITNESS_KEY_FILE: cannot use the witness key .*ENOENT/],
      ['SVCD_PRICES_FILE', missing, /^svc: SVCD_PRICES_FILE=.*missing cannot be used: .*ENOENT/m],
      ['SVCD_MODEL_CLASSES', '{bad', /^svc: SVCD_MODEL_CLASSES cannot be used: expected a JSON list/m],
    ];
    for (const [name, value, sentence] of settings) {
      await expectFailure(['start', 'daemon'], sentence, { [name]: value });
      const { code, stdout } = await run(['doctor', '--json'], { [name]: value });
      const finding = JSON.parse(stdout).checks.find((check: { name: string }) => check.name === 'named_files');
      expect([code, finding]).toEqual([1, expect.objectContaining({ detail: expect.stringContaining(name) })]);
    }
  });

  const doctorOf = async (name: string, environment: Record<string, string>) => {
    const { code, stdout } = await run(['doctor', '--json'], environment);
    const { checks } = JSON.parse(stdout) as {
      checks: { name: string; ok: boolean; detail: string; remedy: string }[];
    };
    return { code, failed: checks.filter(({ ok }) => !ok), ...checks.find((check) => check.name === name)! };
  };

  it('names what is probably not meant: doctor, and the start as a warning', async () => {
    const misread = { SVCD_ROUTE_AUTH: 'enforced', SVCD_SYNC_MUTUAL_AUTH: 'yess', SVCD_PUNCHCARD: 'advisory' };
    const { code, failed, ok, detail, remedy } = await doctorOf('settings', misread);
    expect([failed, code, ok, remedy]).toEqual([[], 0, true, expect.stringContaining('docs/env.md')]);
    expect(detail.split('; ')).toEqual([
      'SVCD_ROUTE_AUTH is read as shadow: expected off, shadow, enforce (was "enforced")',
      'SVCD_SYNC_MUTUAL_AUTH is read as off: expected 1, true, on, yes, 0, false, off, no (was "yess")',
    ]);
    const missing = { SVCD_PRICES_FILE: join(folder, 'missing') };
    expect((await run(['start', 'daemon'], { ...misread, ...missing })).stdout).toContain('SVCD_ROUTE_AUTH is read as');
    expect(await doctorOf('auth_mode', { SVCD_AUTH_MODE: '' })).toMatchObject({
      ok: true,
      detail: expect.stringContaining('do not start'),
      remedy: expect.stringContaining('dev_scopes'),
    });
  });

  it('says which way of TLS an address is read as, without the address', async () => {
    const address = 'postgresql://svc_app:pw@127.0.0.1:9/svc?sslmode=require';
    const { code, stdout, stderr } = await run(['doctor', '--json'], { SVC_DATABASE_URL: address });
    expect(code).toBe(1);
    expect(JSON.parse(stdout).checks[0]).toMatchObject({
      detail:
        'SVC_DATABASE_URL: sslmode=require is read as sslmode=verify-full, which checks certificate and host: write that',
    });
    expect([stderr, stdout.includes(':pw@')]).toEqual(['', false]);
  });

  it('looks at the database also where it has the addresses of the logins alone', async () => {
    const logins = {
      SVC_DATABASE_URL: '',
      SVC_DATABASE_APP_URL: loginUrl(database.url, 'svc_app'),
      SVC_DATABASE_OPERATOR_URL: loginUrl(database.url, 'svc_operator'),
    };
    expect(await doctorOf('migrations', logins)).toMatchObject({ ok: true });
  });

  it('looks at each file and folder that settings name', async () => {
    const missing = join(folder, 'missing');
    for (const name of ['SVC_TSA_CA_FILE', 'SVCD_SHARD_MAP_FILE', 'SVCD_ENGRAMS_DIR', 'SVC_SIGNER_TOKEN_FILE'])
      expect(await doctorOf('named_files', { [name]: missing })).toMatchObject({
        code: 1,
        ok: false,
        detail: expect.stringMatching(`^${name}: ENOENT.*missing`),
      });
    expect((await doctorOf('named_files', { SVCD_ENGRAMS_DIR: PROGRAM })).detail).toContain('is no folder');
  });

  it('names an address of NATS that is none', async () => {
    await expectFailure(['tenant', 'list'], /SVC_NATS_URL: expected an address/, { SVC_NATS_URL: 'foo' });
  });

  it('ends quietly where nobody reads on, and says so where nothing can be written', async () => {
    const shell = (command: string) => {
      const env = { PATH: process.env['PATH'], SVC_DATA_DIR: join(folder, 'data'), SVC_DATABASE_URL: database.url };
      const { status, stderr } = spawnSync('bash', ['--norc', '--noprofile', '-c', command], { env, encoding: 'utf8' });
      return [status, stderr];
    };
    const svc = `"${process.execPath}" "${PROGRAM}"`;
    expect(shell(`set -o pipefail; ${svc} tenant list | true`)).toEqual([0, '']);
    expect(shell(`set -o pipefail; ${svc} completion bash | true`)).toEqual([0, '']);
    if (process.platform === 'linux')
      expect(shell(`${svc} tenant list > /dev/full`)).toEqual([
        1,
        expect.stringMatching(/^svc: what .*ENOSPC[^\n]*\n$/),
      ]);
  });

  it('distinguishes a truncated backup from a file that is not a backup', async () => {
    const archive = async (content: Buffer) => gzipSync(await buffer(packEntries([{ name: 'backup.json', content }])));
    const file = join(folder, 'cut.tar.gz');
    writeFileSync(file, (await archive(randomBytes(9000))).subarray(0, 4000));
    await expectFailure(['restore', file], /is damaged: it ends early/);
    writeFileSync(file, await archive(Buffer.from('{}')));
    await expectFailure(['restore', file], /reads backups of the format svc-backup\/1 only/);
  });

  it('shows the stack of a known failure when all is to be logged', async () => {
    const { stderr } = await run(['key', 'create', 'nosuch'], { SVC_LOG_LEVEL: 'debug' });
    expect(stderr).toMatch(/^ {4}at /m);
  });

  it('lists tenants and keys under a header, and says nothing of the database', async () => {
    const tenants = await run(['tenant', 'list']);
    expect(tenants).toMatchObject({ code: 0, stderr: '' });
    expect(tenants.stdout).toMatch(
      /^TENANT +TIER +STATE +CREATED +REGISTERED\ndefault +team +active +\d{4}-\d\d-\d\dT[\d:]+Z +created\n/,
    );
    const keys = await run(['key', 'list', 'default']);
    expect(keys.stdout).toMatch(/^KEY +PREFIX +CREATED +STATE\n[\da-f-]{36} {2}\w+ {2}[\d:TZ-]+ {2}active\n$/);
  });
});

describe('the database', { timeout: 120_000 }, () => {
  it('is named when it does not answer or refuses', async () => {
    const away = { SVC_DATABASE_URL: 'postgresql://nobody:secret@127.0.0.1:9/svc' };
    await expectFailure(['migrate'], /The database does not answer: .*SVC_DATABASE_URL/, away);
    const lacking = await emptyDatabase();
    await expectFailure(['backup', join(folder, 'b.tar.gz')], /svc migrate|database refuses/, {
      SVC_DATABASE_URL: lacking.url,
    });
    const name = `svc_plain_${process.pid}`;
    const admin = new Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(`create role ${name} login password 'plain'`);
    const plain = new URL(lacking.url.replace('@/', '@unused/'));
    [plain.username, plain.password] = [name, 'plain'];
    try {
      await expectFailure(
        ['migrate'],
        /is not a member of svc_app and svc_operator[\s\S]*grant svc_app, svc_operator to/,
        {
          SVC_DATABASE_URL: plain.toString().replace('@unused/', '@/'),
        },
      );
    } finally {
      await admin.query(`drop role ${name}`);
      await admin.end();
      await lacking.drop();
    }
  });

  it('of a newer svc that takes no older one is refused by every start, with the version that is needed', async () => {
    const newer = await freshDatabase();
    const admin = new Client({ connectionString: newer.url });
    await admin.connect();
    const environment = { SVC_DATABASE_URL: newer.url };
    expect((await run(['tenant', 'list'], environment)).code).toBe(0);
    await admin.query(`insert into migration (timestamp, name) values (1899000000000, 'AddFuture1899000000000')`);
    await admin.query(`comment on table migration is '9.1.0'`);
    // Compatible: work goes on, and what needs to know all there is does not.
    expect((await run(['tenant', 'list'], environment)).code).toBe(0);
    const newerSchema =
      /migrated by svc 9\.1\.0, and this svc \S+.* does not know AddFuture\d+.* Use svc 9\.1\.0 or newer;/;
    await expectFailure(['backup', join(folder, 'newer.tar.gz')], newerSchema, environment);
    await admin.query('update schema_compatibility set oldest_program = 1899000000000');
    await admin.end();
    const sentence = new RegExp(
      newerSchema.source.replace('.* Use', '; the schema takes programs from migration 1899000000000 on, .* Use'),
    );
    const verbs = ['migrate', 'tenant list', 'start', 'start api', 'start tools', 'start daemon'];
    for (const line of verbs) await expectFailure(line.split(' '), sentence, environment);
    await expectFailure(['stdio'], sentence, { ...environment, MCP_STDIO_API_KEY: 'svc_key_any_any' });
    const { code, stdout } = await run(['doctor', '--json'], environment);
    const finding = JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'migrations');
    expect([code, finding]).toEqual([
      1,
      expect.objectContaining({
        ok: false,
        detail: expect.stringContaining('svc 9.1.0'),
        remedy: expect.stringContaining('"The way back"'),
      }),
    ]);
    await newer.drop();
  });
});

describe('a port in use', { timeout: 120_000 }, () => {
  it('is reported with its setting and, on Linux, the process that holds it', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const port = String((server.address() as AddressInfo).port);
    const who = process.platform === 'linux' ? `process ${process.pid}, node` : 'is svc running already\\?';
    const sentence = (setting: string) =>
      new RegExp(`^svc: Port ${port} of 127\\.0\\.0\\.1 is in use \\(${who}\\)\\. Stop .* set ${setting}\\.$`, 'm');
    mkdirSync(join(folder, 'data'), { recursive: true });
    await expectFailure(['start'], sentence('SVC_TOOLS_PORT'), { SVC_TOOLS_PORT: port });
    await expectFailure(['start', 'api'], sentence('SVC_API_PORT'), { SVC_API_PORT: port });
    await expectFailure(['start', 'daemon'], sentence('SVCD_GRPC_PORT'), { SVCD_GRPC_PORT: port });
    server.close();
  });
});
