import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScanRunner } from '../../../src/modules/projects/workspace-scan/scan-runner.js';
import { WalkThread } from '../../../src/modules/projects/workspace-scan/walk-thread.js';
import { LeftOutList } from '../../../src/modules/projects/workspace-scan/workspace-scan.rules.js';
import { WorkspaceWalk } from '../../../src/modules/projects/workspace-scan/workspace-walk.js';
import { startApi, type TestApi } from '../../kit/app.js';
import { type DaemonCall, startDaemon, type TestDaemon } from '../../kit/daemon.js';

let folder: string;
let api: TestApi;
let daemon: TestDaemon;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-workspace-'));
  fill(join(folder, 'root'));
  const env = { SVCD_WORKSPACE_ROOT: join(folder, 'root') };
  api = await startApi({ env });
  daemon = await startDaemon({ env, database: api.database, tenants: ['one', 'two', 'again', 'lost', 'gone'] });
});
afterAll(async () => {
  await daemon.close();
  await api.close();
  rmSync(folder, { recursive: true });
});

function write(root: string, path: string, text: string | Uint8Array = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function fill(root: string): void {
  write(root, '../secret.ts', 'export const secret = 1;');
  write(root, 'src/lamp.ts', 'export class Lamp {\n  light() {}\n}\n');
  write(root, 'src/lamp.py', 'def main(): pass\n');
  write(root, 'src/latin.py', Uint8Array.of(0x64, 0xe9));
  write(root, 'src/large.ts');
  truncateSync(join(root, 'src/large.ts'), 10 * 2 ** 30);
  write(root, 'README.md', '# Lamp');
  write(root, '.gitignore', '*.log\nbuild/\n/.env\n!keep.log\n');
  write(root, 'keep.log');
  write(root, 'a.log');
  write(root, '.env', 'KEY=1');
  write(root, 'build/out.js', 'var out;');
  write(root, 'sub/.gitignore', '!build/\n*.tmp\n/only\n');
  write(root, 'sub/build/kept.js', 'var kept;');
  write(root, 'sub/a.tmp');
  write(root, 'sub/only/x.js');
  write(root, 'sub/deep/only/y.js');
  write(root, '.git/info/exclude', 'excluded\n');
  write(root, 'excluded');
  symlinkSync('../../secret.ts', join(root, 'src/out.ts'));
  symlinkSync('..', join(root, 'src/loop'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
}

const of = (tenant: string): DaemonCall =>
  daemon.as({ scopes: 'facts:write facts:read admin:read admin:write query:read', tenant });
const rows = <T extends object>(sql: string, values: unknown[]): Promise<T[]> => daemon.database.query<T>(sql, values);

async function ended(call: DaemonCall, scanId: string): Promise<any> {
  for (let waited = 0; waited < 60_000; waited += 100) {
    const { status, body } = await call('GET', `/v1/workspace/scans/${scanId}`);
    expect([status, body.detail]).toEqual([200, undefined]);
    if (body.ended_at !== null) return body;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the scan did not end in time');
}

async function scan(tenant: string): Promise<any> {
  const { status, body } = await of(tenant)('POST', '/v1/workspace/scan', {});
  expect([status, body.detail]).toEqual([202, undefined]);
  return ended(of(tenant), body.scan.scan_id);
}

const filesOf = async (tenant: string): Promise<string[]> =>
  (
    await rows<{ path: string; symbols: number }>(
      'select path, symbols from workspace_file where tenant_id = $1 order by path',
      [tenant],
    )
  ).map(({ path, symbols }) => `${path} ${symbols}`);

const FILES = [
  ...['.gitignore 0', 'README.md 0', 'keep.log 0', 'src/lamp.py 1', 'src/lamp.ts 2', 'src/large.ts 0'],
  ...['src/latin.py 0', 'sub/.gitignore 0', 'sub/build/kept.js 1', 'sub/deep/only/y.js 0'],
];

describe('a scan of the workspace', () => {
  it('finds what git would, with symbols, follows no link and says what it left out', async () => {
    const done = await scan('one');
    expect(done).toMatchObject({
      state: 'done',
      files_found: 10,
      files: 10,
      symbols: 4,
      problem: null,
      tenant_id: 'one',
    });
    expect(done.left_out).toEqual([
      { reason: 'file_too_large', count: 1, examples: ['src/large.ts'] },
      { reason: 'ignored', count: 6, examples: ['.env', 'a.log', 'build', 'excluded', 'sub/a.tmp'] },
      { reason: 'no_file', count: 1, examples: ['pipe'] },
      { reason: 'symbolic_link', count: 2, examples: ['src/loop', 'src/out.ts'] },
      { reason: 'unreadable', count: 1, examples: ['src/latin.py'] },
    ]);
    expect(await filesOf('one')).toEqual(FILES);
    const symbols = await rows<{ path: string; kind: string; name: string; line: number }>(
      'select path, kind, name, line from workspace_symbol where tenant_id = $1 order by path, ordinal',
      ['one'],
    );
    expect(symbols.map(({ path, kind, name, line }) => `${path}:${line} ${kind} ${name}`)).toEqual([
      ...['src/lamp.py:1 function main', 'src/lamp.ts:1 class Lamp', 'src/lamp.ts:2 method Lamp.light'],
      'sub/build/kept.js:1 variable kept',
    ]);
  });

  it('leaves receipts and events without a path', async () => {
    const receipts = await rows<{ kind: string }>(
      `select kind from receipt where tenant_id = $1 and stream = 'workspace' order by seq`,
      ['one'],
    );
    expect(receipts.map(({ kind }) => kind)).toEqual(['workspace.scan_requested', 'workspace.scan_completed']);
    const events = await rows<{ data: object }>(
      `select data from outbox_event where tenant_id = $1 and kind like 'workspace.%'`,
      ['one'],
    );
    expect(events).toHaveLength(2);
    expect(JSON.stringify(events)).not.toContain('lamp');
  });

  it("takes the place of the one before, and is nobody else's", async () => {
    const first = await scan('again');
    const second = await scan('again');
    const left = async () =>
      rows<{ scan_id: string }>('select distinct scan_id from workspace_file where tenant_id = $1', ['again']);
    for (let waited = 0; waited < 10_000 && (await left()).length > 1; waited += 50)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await left()).toEqual([{ scan_id: second.scan_id }]);
    const list = await of('again')('GET', '/v1/workspace/scans?limit=1');
    expect(list.body).toMatchObject({ count: 1, has_more: true, scans: [{ scan_id: second.scan_id }] });
    const next = await of('again')('GET', `/v1/workspace/scans?limit=1&cursor=${list.body.next_cursor}`);
    expect(next.body).toMatchObject({ has_more: false, next_cursor: null, scans: [{ scan_id: first.scan_id }] });
    expect((await of('two')('GET', '/v1/workspace/scans')).body.scans).toEqual([]);
    expect((await of('two')('GET', `/v1/workspace/scans/${first.scan_id}`)).status).toBe(404);
  });

  it('is one at a time: who asks meanwhile gets that one', async () => {
    const asked = await Promise.all(Array.from({ length: 5 }, () => of('two')('POST', '/v1/workspace/scan')));
    expect(asked.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
    const started = asked.filter(({ body }) => body.started);
    const scans = new Set(asked.map(({ body }) => body.scan.scan_id as string));
    // One may have ended before the last asked.
    expect(scans.size).toBe(started.length);
    for (const scanId of scans) await ended(of('two'), scanId);
  });

  it('that its process died in is begun again, and what that left is gone', async () => {
    const scanId = '0198c0de-0000-7000-8000-000000000001';
    await rows(
      `insert into workspace_scan (tenant_id, scan_id, state, attempt, files, symbols, created_by) values ($1, $2, 'running', 1, 1, 1, 'x')`,
      ['lost', scanId],
    );
    await rows(`insert into workspace_file values ($1, $2, 'dead.ts', 1, 'typescript', 1)`, ['lost', scanId]);
    await rows(`insert into workspace_symbol values ($1, $2, 'dead.ts', 1, 'dead', 'class', 1)`, ['lost', scanId]);
    await api.app.get(ScanRunner, { strict: false }).run({ tenantId: 'lost', scanId });
    expect(await ended(of('lost'), scanId)).toMatchObject({ state: 'done', files: 10, symbols: 4 });
    expect(await filesOf('lost')).toEqual(FILES);
    // The dead one's job comes back once more: nothing happens.
    await api.app.get(ScanRunner, { strict: false }).run({ tenantId: 'lost', scanId });
    expect(await filesOf('lost')).toEqual(FILES);
  });

  it('that no attempt could end has failed, and says why', async () => {
    const scanId = '0198c0de-0000-7000-8000-000000000002';
    await rows(`insert into workspace_scan (tenant_id, scan_id, created_by) values ($1, $2, 'x')`, ['gone', scanId]);
    await rows(`insert into workspace_file values ($1, $2, 'dead.ts', 1, 'typescript', 0)`, ['gone', scanId]);
    await api.app.get(ScanRunner, { strict: false }).fail({ tenantId: 'gone', scanId }, 'Lost.');
    expect(await ended(of('gone'), scanId)).toMatchObject({ state: 'failed', problem: 'Lost.' });
    expect(await filesOf('gone')).toEqual([]);
    expect((await scan('gone')).state).toBe('done');
  });

  it('leaves out what git ignores: the same files as git itself', async () => {
    const root = join(folder, 'root');
    const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
    rmSync(join(root, '.git'), { recursive: true });
    git('init', '-q');
    write(root, '.git/info/exclude', 'excluded\n');
    const listed = git('-c', 'core.excludesFile=', 'ls-files', '-z', '--others', '--exclude-standard').split('\0');
    const links = ['src/out.ts', 'src/loop', 'pipe', ''];
    const { files } = await new WorkspaceWalk(root, new LeftOutList()).find();
    expect(files.map(({ path }) => path)).toEqual(listed.filter((path) => !links.includes(path)).sort());
  });
});

describe('the walk', () => {
  it('is bounded in files and depth, and says so', async () => {
    const leftOut = new LeftOutList();
    const { files } = await new WorkspaceWalk(join(folder, 'root'), leftOut, { files: 3, depth: 1 }).find();
    expect(files).toHaveLength(3);
    const counts = Object.fromEntries(leftOut.list().map(({ reason, count }) => [reason, count]));
    const wide = new LeftOutList();
    mkdirSync(join(folder, 'wide'));
    for (let i = 0; i < 40; i += 1) write(join(folder, 'wide'), `f${i}`);
    expect((await new WorkspaceWalk(join(folder, 'wide'), wide, { files: 3, depth: 1 }).find()).files).toHaveLength(3);
    expect(wide.list()).toMatchObject([{ reason: 'too_many_files', count: 37 }]);
    expect(counts).toMatchObject({ too_many_files: 5, too_deep: 2 });
  });

  it('is ended where patterns take for ever, and the process goes on meanwhile', async () => {
    const root = join(folder, 'patterns');
    write(root, '.gitignore', `${'a/**/'.repeat(14)}b\n`);
    write(root, `${'a/'.repeat(60)}c`);
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 50);
    const thread = new WalkThread();
    const failure = await thread.walk(root, 2_000).catch((error: unknown) => error);
    clearInterval(timer);
    await thread.onApplicationShutdown();
    expect(failure).toMatchObject({ name: 'ThreadExhausted', lacking: 'time' });
    expect(ticks).toBeGreaterThan(10);
  });

  it('leaves out a name that is not UTF-8', async () => {
    const root = join(folder, 'names');
    write(root, 'good.ts');
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.of(0xff, 0x2e, 0x74, 0x73)]), '');
    const leftOut = new LeftOutList();
    const { files } = await new WorkspaceWalk(root, leftOut).find();
    expect(files.map(({ path }) => path)).toEqual(['good.ts']);
    expect(leftOut.list()).toMatchObject([{ reason: 'name_unusable', count: 1 }]);
  });
});

describe('without a workspace', () => {
  let unset: TestDaemon;
  beforeAll(async () => {
    unset = await startDaemon({ database: api.database });
  });
  afterAll(() => unset.close());

  it('the answer says which setting opens it', async () => {
    const { status, body } = await unset.call('POST', '/v1/workspace/scan');
    expect([status, body.setting]).toEqual([409, 'SVCD_WORKSPACE_ROOT']);
    expect(body.detail).toContain('SVCD_WORKSPACE_ROOT');
  });

  it.each(['?limit=0', '?limit=x', '?cursor=nonsense', '?unknown=1'])(
    'a list of scans with %s is 400',
    async (query) => {
      expect((await unset.call('GET', `/v1/workspace/scans${query}`)).status).toBe(400);
    },
  );
});
