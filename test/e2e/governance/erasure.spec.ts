import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { freePort } from '../../kit/free-port.js';
import { PROGRAM } from '../../kit/program.js';
import { isRunning, removeDataDir, SvcProcess, until } from '../processes/svc-process.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const PLANTED = 1_000;
/** All canaries begin so, and nothing else does. */
const CANARY = 'qxkanarienvogel';

const folder = mkdtempSync(join(tmpdir(), 'svc-erasure-'));
const [first, second] = [join(folder, 'first'), join(folder, 'second')];
let svc: SvcProcess;
let daemonPort: number;
let planted = 0;
const canary = (): string => `${CANARY}${String(++planted).padStart(4, '0')}`;
const logs: string[] = [];

async function start(dataDir: string, environment: Record<string, string> = {}): Promise<SvcProcess> {
  const started = await SvcProcess.start(dataDir, {
    environment: { SVCD_HTTP_PORT: String(daemonPort), ...environment },
  });
  const isUp = () =>
    fetch(`http://127.0.0.1:${daemonPort}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('the daemon', isUp, 240_000);
  return started;
}

const daemon = (method: string, path: string, body?: unknown, tenant = svc.credentials.tenant_id) =>
  send(`http://127.0.0.1:${daemonPort}`, method, path, body, {
    'x-svc-scopes': 'admin:read admin:write facts:read facts:write query:read receipts:read exports:read',
    'x-svc-tenant-id': tenant,
  });

async function api(method: string, path: string, body: unknown) {
  const { tenant_id: tenantId, api_key: key } = svc.credentials;
  const headers: Record<string, string> = { 'x-tenant-id': tenantId, 'x-api-key': key };
  if (path !== '/v1/citations') headers['x-idempotency-key'] = randomUUID();
  const answer = await send(svc.url, method, path, body, headers);
  expect([path, answer.status < 300 ? '' : answer.body]).toEqual([path, '']);
  return answer.body;
}

function run(dataDir: string, words: string[], environment: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...words], {
    env: { PATH: process.env['PATH'], SVC_DATA_DIR: dataDir, SVCD_AUTH_MODE: 'dev_scopes', ...environment },
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return { code: status, stdout, stderr };
}

/** How a text may stand in a file: as it is, in UTF-16, in base64 at any of three places, in hexadecimal digits. */
const FORMS: readonly Buffer[] = [
  Buffer.from(CANARY),
  Buffer.from(CANARY, 'utf16le'),
  Buffer.from(CANARY.toUpperCase()),
  Buffer.from(Buffer.from(CANARY).toString('hex')),
  ...[0, 1, 2].map((skip) => Buffer.from(Buffer.from(CANARY.slice(skip, skip + 12)).toString('base64'))),
];

/** A running PostgreSQL removes files of its own at any time, between a list of them and the reading too. */
function unlessGone<T>(read: () => T, gone: T): T {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return gone;
  }
}

function filesBelow(path: string): string[] {
  return unlessGone(() => readdirSync(path, { withFileTypes: true }), []).flatMap((entry) => {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) return filesBelow(inner);
    return entry.isFile() ? [inner] : [];
  });
}

/** The files of a data directory, the cluster's too, that hold a canary in any form. */
function filesWithCanaries(dataDir: string): string[] {
  const places = [dataDir, realpathSync(join(dataDir, 'postgres'))];
  return [...new Set(places.flatMap(filesBelow))].filter((file) =>
    holds(unlessGone(() => readFileSync(file), Buffer.alloc(0))),
  );
}
const holds = (bytes: Buffer): boolean => FORMS.some((form) => bytes.includes(form));

async function plant(): Promise<void> {
  for (let n = 0; n < 20; n++) {
    const facts = Array.from({ length: 8 }, () => ({
      entity: `person:${canary()}`,
      key: canary(),
      value: `${canary()} met ${canary()}`,
      actor: canary(),
    }));
    expect((await daemon('PUT', '/v1/facts/bulk', facts)).status).toBeLessThan(300);
  }
  const document = (docId: string, content: string, title: string) => ({
    ...{ tenantId: svc.credentials.tenant_id, corpusId: 'letters', docId, title, content },
    url: 'https://example.org/',
    metadata: { author: title },
  });
  for (let n = 0; n < 25; n++)
    await api(
      'POST',
      '/v1/ingest',
      document(`letter-${n}`, `# ${canary()}\n\nThe harbour of ${canary()} is calm.\n`, canary()),
    );
  await api('POST', '/v1/ingest', document('kept', 'The harbour is open to all.', 'Kept'));
  let found: any[] = [];
  await until('the letters are found', async () => {
    found = (await api('POST', '/v1/retrieve', { query: `harbour ${CANARY}0801`, lane: 'audit', limit: 30 })).results;
    return found.length > 20;
  });
  for (let n = 0; n < 15; n++) {
    await api('POST', '/v1/retrieve', { query: `harbour ${canary()}`, lane: 'audit' });
    const { chunkId } = found[n];
    const citations = [{ chunkId, note: canary() }];
    await api('POST', '/v1/citations', {
      agentId: 'a',
      answerId: canary(),
      answerText: canary(),
      idempotencyKey: canary(),
      citations,
    });
    await api('POST', '/v1/watches', {
      agentId: 'a',
      targetType: 'query',
      query: { query: `harbour ${canary()}` },
      note: canary(),
    });
    await api('POST', '/v1/home/a/primitives', {
      kind: 'goal',
      name: canary(),
      content: { text: canary() },
      pins: [{ chunkId }],
    });
    await api('POST', '/v1/home/a/journal/events', { type: 'schema_adopted', data: { name: canary(), version: '1' } });
    await api('POST', '/v1/org/webhooks', { url: `http://127.0.0.1:9/${canary()}`, description: canary() });
    expect((await daemon('PUT', `/v1/entities/person/${canary()}`, { payload: { note: canary() } })).status).toBe(200);
  }
  while (planted < PLANTED) await daemon('PUT', '/v1/facts', { entity: 'subject', key: canary(), value: canary() });
}

/** The step that the independent program refuses; it knows no development modes, and so refuses that one alone. */
const failedByPython = (file: string, pin: string): string | null =>
  (
    JSON.parse(
      spawnSync('python3', ['-m', 'svc_verify', file, '--key', pin, '--json'], {
        cwd: join(ROOT, 'examples/verify'),
        env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
        encoding: 'utf8',
      }).stdout,
    ) as { failed: string | null }
  ).failed;

/** An export of what stays, checked by both programs. */
async function expectVerified(file: string): Promise<void> {
  const url = `http://127.0.0.1:${daemonPort}/v1/replay/exports/facts/keep?tenant_id=${svc.credentials.tenant_id}`;
  const answer = await fetch(url, { headers: { 'x-svc-scopes': 'exports:read receipts:read facts:read admin:read' } });
  expect(answer.status).toBe(200);
  writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
  expectStillVerified(file);
}

function expectStillVerified(file: string): void {
  const pin = join(folder, 'svc.pin');
  const verdict = run(first, ['verify', file, '--key', pin, '--accept-dev', '--json']);
  expect([verdict.code, JSON.parse(verdict.stdout).ok]).toEqual([0, true]);
  const strict = JSON.parse(run(first, ['verify', file, '--key', pin, '--json']).stdout) as { checks: any[] };
  const refused = strict.checks.filter(({ ok }) => !ok).map(({ name }) => name as string);
  expect([failedByPython(file, pin)]).toEqual(refused);
}

beforeAll(async () => {
  daemonPort = await freePort();
  svc = await start(first);
  await daemon('PUT', '/v1/facts', { entity: 'keep', key: 'k', value: 'stays' });
  await daemon('PUT', '/v1/facts', { entity: 'person:x', key: 'k', value: 'of another tenant' }, 'elsewhere');
  await plant();
  writeFileSync(join(folder, 'svc.pin'), run(first, ['key', 'pin']).stdout);
}, 600_000);
afterAll(async () => {
  await (svc as SvcProcess | undefined)?.stop();
  for (const dataDir of [first, second]) if (statSync(dataDir, { throwIfNoEntry: false })) removeDataDir(dataDir);
  rmSync(folder, { recursive: true, force: true });
});

describe('an erasure with a thousand canaries', { timeout: 900_000 }, () => {
  const old = join(folder, 'old.tar.gz');
  let erasureId: string;

  it('is removed with a receipt that has numbers alone, and goes on after a kill -9', async () => {
    expect(planted).toBeGreaterThanOrEqual(PLANTED);
    await expectVerified(join(folder, 'before.json'));
    expect(run(first, ['backup', old]).code).toBe(0);
    expect(holds(gunzipSync(readFileSync(old)))).toBe(true);
    expect(filesWithCanaries(first).length).toBeGreaterThan(0);

    const report = (await daemon('POST', '/v1/facts/erase', { texts: [CANARY], dry_run: true })).body.erasure;
    const answer = await daemon('POST', '/v1/facts/erase', { texts: [CANARY] });
    expect(answer.status).toBe(200);
    erasureId = answer.body.erasure.erasure_id;
    // One that takes more than 15 seconds is answered while it runs.
    let { erasure } = answer.body;
    await until('the removal', async () => {
      if (erasure.state === 'running') ({ erasure } = (await daemon('GET', `/v1/facts/erase/${erasureId}`)).body);
      return erasure.state !== 'running';
    });
    expect(erasure.state).toBe('removed');
    for (const table of Object.keys(report.counts)) expect(erasure.counts[table]).toBeGreaterThanOrEqual(1);
    const pids = [svc.pid, svc.apiPid, svc.toolsPid, svc.postgresPid];
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await until('the end of all', () => pids.every((pid) => !isRunning(pid)));
    logs.push(JSON.stringify(svc.log), svc.console);
    svc = await start(first);

    await until(
      'scrubbed',
      async () => (await daemon('GET', `/v1/facts/erase/${erasureId}`)).body.erasure?.state === 'scrubbed',
      300_000,
    );
    const receipt = await daemon('GET', `/v1/receipts/${erasure.receipt_id}?tenant_id=${svc.credentials.tenant_id}`);
    expect([receipt.status, holds(Buffer.from(JSON.stringify(receipt.body)))]).toEqual([200, false]);
  });

  it('leaves none of them in the data directory, in a new backup, or in a log', async () => {
    expect(filesWithCanaries(first)).toEqual([]);
    const fresh = join(folder, 'fresh.tar.gz');
    expect(run(first, ['backup', fresh]).code).toBe(0);
    expect(holds(gunzipSync(readFileSync(fresh)))).toBe(false);
    logs.push(JSON.stringify(svc.log), svc.console);
    expect(logs.filter((log) => log.includes(CANARY))).toEqual([]);
  });

  it('leaves what is provable provable, and what is not of it in place', async () => {
    expectStillVerified(join(folder, 'before.json'));
    await expectVerified(join(folder, 'after.json'));
    const doctor = run(first, ['doctor', '--full', '--json']);
    expect((JSON.parse(doctor.stdout).checks as { ok: boolean }[]).filter(({ ok }) => !ok)).toEqual([]);
    expect((await daemon('GET', '/v1/facts/list', undefined, 'elsewhere')).body.total_visible).toBe(1);
    const { results } = await api('POST', '/v1/retrieve', { query: 'harbour', includeCommons: false });
    expect(results.map(({ docId }: any) => docId)).toEqual(['kept']);
  });

  it('is done again when an old backup is restored, before anything is served', async () => {
    const key = join(first, 'keys', 'signing-key.pem');
    await svc.stop();
    const refused = run(second, ['restore', old, '--without-checkpoint'], { SVC_SIGNING_KEY_FILE: key });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--without-erasures')]);
    const kept = { SVC_CHECKPOINT_DIR: join(first, 'checkpoints'), SVC_SIGNING_KEY_FILE: key };
    const restored = run(second, ['restore', old, '--json'], kept);
    expect([restored.code, restored.code === 0 ? '' : restored.stderr.slice(-2_000)]).toEqual([0, '']);
    expect(JSON.parse(restored.stdout).erasures).toBe(1);
    svc = await start(second, kept);
    expect((await daemon('POST', '/v1/facts/erase', { texts: [CANARY], dry_run: true })).body.erasure.counts).toEqual(
      {},
    );
    await until(
      'scrubbed',
      async () => (await daemon('GET', `/v1/facts/erase/${erasureId}`)).body.erasure?.state === 'scrubbed',
      300_000,
    );
    expect(filesWithCanaries(second)).toEqual([]);
    let faults: unknown[] = [];
    const isSound = (): boolean => {
      const { stdout } = run(second, ['doctor', '--full', '--json'], kept);
      faults = (JSON.parse(stdout).checks as { ok: boolean }[]).filter(({ ok }) => !ok);
      return faults.length === 0;
    };
    await until('a sound log', isSound, 120_000).catch(() => undefined);
    expect(faults).toEqual([]);
  });
});
