import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { freePort } from '../../kit/free-port.js';
import { ServerProcess } from '../../kit/server-process.js';
import { GitRepository } from './git-repository.js';

const TOKEN = 'facts:read facts:write';

let database: TestDatabase;
let dataDir: string;
let daemon: ServerProcess;
let repo: GitRepository;
beforeAll(async () => {
  database = await freshDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'svc-hook-daemon-'));
  const env = { SVCD_PUNCHCARD: 'enforce', SVCD_RATE_LIMIT_RPS: '0' };
  daemon = await ServerProcess.at(database.url, dataDir, env, 'daemon');
  await daemon.start();
}, 60_000);
afterAll(async () => {
  await daemon.stop('SIGTERM');
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** A tenant of its own for each test, so that none meets the punchcards of another. */
let tenant = 0;
beforeEach(() => {
  tenant += 1;
  repo = new GitRepository();
  repo.env['SVC_HOOK_TOKEN'] = TOKEN;
  configure({ url: daemon.url, passport: 'ada', tenant: `hook-${tenant}`, timeout: '20' });
});
afterEach(() => repo.remove());

const configure = (values: Record<string, string>) => {
  for (const [name, value] of Object.entries(values)) repo.must('config', `svc.${name}`, value);
};

/** Somebody else, or who is named, holds it. */
async function hold(resource: string, holder = 'bob'): Promise<void> {
  const headers = { 'x-svc-scopes': TOKEN, 'x-svc-tenant-id': `hook-${tenant}`, 'x-svc-passport-id': holder };
  const { status } = await send(daemon.url, 'POST', '/v1/punchcards/acquire', { resource }, headers);
  expect([resource, status]).toEqual([resource, 200]);
}

const install = async () => expect((await repo.svc('hook', 'install')).stderr).toBe('');
const commit = async (...more: string[]) => {
  repo.must('add', '-A');
  return repo.git('commit', '-q', '-m', 'work', ...more);
};
const push = (...more: string[]) => repo.git('push', '-q', ...more);
/** A failed push, by the lines of the hook alone. */
const refusal = expect.stringMatching(/svc: refused\. [^]*git (commit|push) --no-verify/) as string;
const hooks = () =>
  readdirSync(join(repo.folder, '.git/hooks'))
    .filter((name) => !name.endsWith('.sample'))
    .sort();

describe('svc hook install', { timeout: 60_000 }, () => {
  it('puts two executable hooks for any sh, twice the same, and takes them away', async () => {
    await install();
    expect(hooks()).toEqual(['pre-commit', 'pre-push']);
    const script = repo.read('.git/hooks/pre-push');
    for (const name of hooks()) {
      expect(statSync(join(repo.folder, '.git/hooks', name)).mode & 0o777).toBe(0o755);
      expect(await repo.run('dash', ['-n', `.git/hooks/${name}`])).toEqual({ status: 0, stdout: '', stderr: '' });
    }
    await install();
    expect([hooks(), repo.read('.git/hooks/pre-push')]).toEqual([['pre-commit', 'pre-push'], script]);
    expect((await repo.svc('hook', 'uninstall')).stdout).toBe('pre-commit: taken away\npre-push: taken away\n');
    expect(hooks()).toEqual([]);
    expect((await repo.svc('hook', 'uninstall')).stdout).toContain('pre-commit: not installed, nothing changed');
  });

  it('keeps the hooks that are there: they run first, with their input, and may refuse', async () => {
    repo.write('.git/hooks/pre-commit', '#!/bin/sh\necho before >> ../log\n[ ! -e stop ]\n', 0o755);
    repo.write('.git/hooks/pre-push', '#!/bin/sh\necho "$1 $(cat)" >> ../log\n', 0o755);
    const before = repo.read('.git/hooks/pre-commit');
    await install();
    await install();
    expect(hooks()).toEqual(['pre-commit', 'pre-commit.before-svc', 'pre-push', 'pre-push.before-svc']);
    await hold('held');
    repo.write('free');
    expect(await commit()).toMatchObject({ status: 0, stderr: '' });
    expect((await push('origin', 'main')).status).toBe(0);
    const head = repo.must('rev-parse', 'HEAD');
    expect(repo.read('../log')).toBe(`before\norigin refs/heads/main ${head} refs/heads/main ${'0'.repeat(40)}\n`);
    repo.write('held');
    expect((await commit()).stderr).toEqual(refusal);
    repo.write('stop');
    expect(await commit()).toMatchObject({ status: 1, stderr: '' });
    await repo.svc('hook', 'uninstall');
    expect([hooks(), repo.read('.git/hooks/pre-commit')]).toEqual([['pre-commit', 'pre-push'], before]);
  });

  it('goes where core.hooksPath leads, and beyond the repository only when asked', async () => {
    repo.must('config', 'core.hooksPath', 'tools/hooks');
    // The helper `must` sets it aside; plain git here does not.
    await install();
    expect([hooks(), existsSync(join(repo.folder, 'tools/hooks/pre-commit'))]).toEqual([[], true]);
    await hold('held');
    repo.write('held');
    expect((await commit()).stderr).toEqual(refusal);
    const shared = join(repo.place, 'shared');
    repo.must('config', 'core.hooksPath', shared);
    const { status, stderr } = await repo.svc('hook', 'install');
    expect([status, stderr, existsSync(shared)]).toEqual([1, expect.stringContaining('--shared'), false]);
    expect((await repo.svc('hook', 'install', '--shared')).status).toBe(0);
    expect(existsSync(join(shared, 'pre-push'))).toBe(true);
  });

  it('refuses to lose one of two hooks of others, and outside a repository', async () => {
    await install();
    for (const name of ['pre-commit', 'pre-commit.before-svc']) repo.write(`.git/hooks/${name}`, '#!/bin/sh\n', 0o755);
    const { status, stderr } = await repo.svc('hook', 'install');
    expect([status, stderr]).toEqual([1, expect.stringContaining('keep one of them')]);
    rmSync(join(repo.folder, '.git'), { recursive: true });
    expect((await repo.svc('hook', 'install')).stderr).toContain('is this a git repository?');
  });
});

describe('the hook pre-commit', { timeout: 60_000 }, () => {
  beforeEach(install);

  it('refuses what another holds, saying who until when, and lets everything else pass', async () => {
    await hold('src/api/**');
    await hold('docs', 'ada');
    repo.write('src/api/deep/a.ts');
    repo.write('docs/own.md');
    const refused = await commit();
    expect([refused.status, refused.stderr]).toEqual([1, refusal]);
    expect(refused.stderr).toMatch(/1 of 2 paths are held by others/);
    expect(refused.stderr).toMatch(/src\/api\/deep\/a\.ts +bob \(write\) +\d{4}-\d\d-\d\dT[\d:]{8}Z +src\/api\/\*\*/);
    expect(refused.stderr).not.toContain('docs/own.md');
    expect((await commit('--no-verify')).status).toBe(0);
    repo.write('docs/own.md', 'more');
    expect(await commit()).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it.each([
    ['a space', 'a file.txt'],
    ['letters beyond ASCII', 'caf\u00e9/\u65e5\u672c.txt'],
    ['a quote and a backslash', 'it\'s "quoted".txt'],
    ['a line feed and a tab', 'two\nlines\tand a tab.txt'],
    ['a leading hyphen', '-n'],
    ['brackets', 'app/[id]/page.tsx'],
  ])('reads names with %s', async (_, path) => {
    await hold(path.replace(/[\n\t]/g, '?'));
    repo.write(path);
    repo.write('another');
    expect((await commit()).stderr).toMatch(/1 of 2 paths[^]*svc: refused/);
  });

  it('looks at both names of a rename, at deletions and at submodules', async () => {
    repo.commit('old/a.txt', 'gone.txt', 'kept.txt');
    const other = new GitRepository();
    other.commit('inside.txt');
    try {
      for (const [resource, change] of [
        ['old', () => repo.must('mv', 'old/a.txt', 'b.txt')],
        ['new', () => repo.must('mv', 'kept.txt', 'new')],
        ['gone.txt', () => repo.must('rm', '-q', 'gone.txt')],
        ['vendor/lib', () => repo.must('submodule', '--quiet', 'add', other.folder, 'vendor/lib')],
      ] as const) {
        await hold(resource);
        change();
        const { status, stderr } = await commit();
        expect([resource, status, stderr]).toEqual([resource, 1, refusal]);
        expect((await commit('--no-verify')).status).toBe(0);
      }
    } finally {
      other.remove();
    }
  });

  it('looks at what is committed, not at what is only changed', async () => {
    repo.commit('a', 'b');
    await hold('a');
    repo.write('a', 'changed');
    repo.write('b', 'changed');
    expect((await repo.git('commit', '-q', '-m', 'b alone', 'b')).status).toBe(0);
    expect((await repo.git('commit', '-q', '-m', 'all', '-a')).stderr).toEqual(refusal);
  });

  it('only reports in the mode advisory, and is silent in the mode off', async () => {
    await hold('a');
    repo.write('a');
    configure({ mode: 'advisory' });
    expect(await commit()).toMatchObject({ status: 0, stderr: expect.stringContaining('bob (write)') as string });
    repo.write('a', 'again');
    configure({ mode: 'off' });
    expect(await commit()).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('finds the one that is held among 5,000', async () => {
    await hold('many/4321.txt');
    for (let n = 0; n < 5000; n += 1) repo.write(`many/${n}.txt`);
    expect((await commit()).stderr).toMatch(/1 of 5000 paths[^]*many\/4321\.txt[^]*svc: refused/);
  });
});

describe('the hook pre-push', { timeout: 60_000 }, () => {
  beforeEach(async () => {
    repo.commit('base.txt');
    repo.must('push', '-q', '-u', 'origin', 'main');
    await install();
  });

  it('looks at the commits that are new there, each of them', async () => {
    await hold('held.txt');
    repo.commit('free.txt');
    expect((await push()).status).toBe(0);
    repo.commit('held.txt');
    repo.must('rm', '-q', 'held.txt');
    repo.must('commit', '-q', '-m', 'away again');
    const refused = await push();
    expect([refused.status, refused.stderr]).toEqual([1, refusal]);
    expect(refused.stderr).toContain('held.txt');
    expect((await push('--no-verify')).status).toBe(0);
  });

  it('of a new branch looks at what no branch of the remote has', async () => {
    await hold('base.txt');
    repo.must('checkout', '-q', '-b', 'topic');
    repo.commit('topic.txt');
    expect((await push('origin', 'topic')).status).toBe(0);
    await hold('topic2.txt');
    repo.must('checkout', '-q', '-b', 'topic2');
    repo.commit('topic2.txt');
    expect((await push('origin', 'topic2')).stderr).toEqual(refusal);
  });

  it('does not charge a merge with what the merged branch brought there before', async () => {
    repo.must('checkout', '-q', '-b', 'topic');
    repo.commit('topic.txt');
    repo.must('push', '-q', 'origin', 'topic');
    repo.must('checkout', '-q', 'main');
    repo.commit('mine.txt');
    repo.must('push', '-q', 'origin', 'main');
    repo.must('checkout', '-q', 'topic');
    repo.must('merge', '-q', '--no-edit', 'main');
    await hold('mine.txt');
    expect((await push('origin', 'topic')).status).toBe(0);
  });

  it('of a forced push looks at what it drops as well', async () => {
    repo.commit('dropped.txt');
    repo.must('push', '-q', 'origin', 'main');
    await hold('dropped.txt');
    repo.must('reset', '-q', '--hard', 'HEAD^');
    expect((await push('--force', 'origin', 'main')).stderr).toEqual(refusal);
    repo.commit('instead.txt');
    expect((await push('--force', 'origin', 'main')).stderr).toEqual(refusal);
  });

  it('deletes branches unchecked, and checks tags by their commits', async () => {
    repo.must('push', '-q', 'origin', 'main:refs/heads/old');
    await hold('**');
    expect((await push('origin', '--delete', 'old')).status).toBe(0);
    repo.must('tag', '-a', 'known', '-m', 'known', 'main');
    repo.must('tag', 'tree', 'main^{tree}');
    expect((await push('origin', 'known', 'tree')).status).toBe(0);
    repo.must('tag', '-a', 'new', '-m', 'new', repo.commit('tagged.txt'));
    repo.must('reset', '-q', '--hard', 'HEAD^');
    expect((await push('origin', 'new')).stderr).toEqual(refusal);
  });

  it('takes several refs, and a remote that has no name', async () => {
    await hold('b.txt');
    repo.must('branch', 'a');
    repo.commit('b.txt');
    repo.must('branch', 'b');
    expect((await push('origin', 'a', 'b')).stderr).toEqual(refusal);
    expect((await push(repo.remote, 'b')).stderr).toEqual(refusal);
    expect((await push('origin', 'a')).status).toBe(0);
  });
});

describe('a server that does not answer so', { timeout: 60_000 }, () => {
  beforeEach(async () => {
    await install();
    repo.write('a');
  });

  it('away: blocks nobody unless the mode is enforce, which says what to do', async () => {
    configure({ url: `http://127.0.0.1:${await freePort()}`, mode: 'enforce' });
    const refused = await commit();
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('Start the daemon')]);
    expect(refused.stderr).toContain('"git commit --no-verify"');
    for (const mode of ['advisory', undefined]) {
      if (mode) configure({ mode });
      else repo.must('config', '--unset', 'svc.mode');
      repo.write('a', String(mode));
      expect(await commit()).toMatchObject({ status: 0, stderr: expect.stringContaining('not checked') as string });
    }
  });

  it('silent: is waited for as long as svc.timeout says', async () => {
    const silent: Server = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = silent.address() as { port: number };
      configure({ url: `http://127.0.0.1:${port}`, timeout: '0.2' });
      expect(await commit()).toMatchObject({ status: 0, stderr: expect.stringContaining('within 0.2 s') as string });
    } finally {
      silent.close();
    }
  });

  it('without punchcards: passes, in every mode, and says so once', async () => {
    const off = await ServerProcess.at(database.url, join(repo.place, 'off'), {}, 'daemon');
    await off.start();
    try {
      configure({ url: off.url, mode: 'enforce' });
      for (let n = 0; n < 1500; n += 1) repo.write(`many/${n}.txt`);
      const { status, stderr } = await commit();
      expect([status, stderr.match(/punchcards are off/g)]).toEqual([0, ['punchcards are off']]);
    } finally {
      await off.stop('SIGTERM');
    }
  });

  it('that wants another credential: says which setting', async () => {
    delete repo.env['SVC_HOOK_TOKEN'];
    configure({ mode: 'enforce' });
    expect((await commit()).stderr).toMatch(/answers 401[^]*svc\.tokenFile/);
    repo.write('../token', `${TOKEN}\n`);
    configure({ tokenFile: '~/token' });
    expect((await commit()).status).toBe(0);
  });

  it.each([
    ['url', 'ftp://x', 'svc.url'],
    ['timeout', 'soon', 'svc.timeout'],
  ])('%s=%s of git config is named, and blocks nobody', async (name, value, said) => {
    configure({ [name]: value });
    expect(await commit()).toMatchObject({ status: 0, stderr: expect.stringContaining(said) as string });
  });

  it('and a mode that is none: is named, and refused', async () => {
    configure({ mode: 'enforced' });
    expect(await commit()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(
        'svc.mode of git config is enforced; it is one of off, advisory, enforce',
      ) as string,
    });
  });
});
