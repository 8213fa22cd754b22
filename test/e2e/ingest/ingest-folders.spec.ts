import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { blake3Digest, sha256Digest } from '../../../src/evidence/digest.js';
import { until } from '../processes/svc-process.js';
import type { AcmeApi } from '../../kit/server-process.js';
import { documentsOf, putFiles, startApiForCommand, startVerb, type Ended } from './ingest-command.js';

let acme: AcmeApi;
beforeAll(async () => {
  acme = await startApiForCommand();
});
afterAll(() => acme.close());

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-ingest-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ingest = (...words: string[]): Promise<Ended> => startVerb(acme, ['ingest', ...words]).ended;
const put = (files: Record<string, string | Uint8Array>): void => putFiles(folder, files);

/** What --json printed, of a run that ended well. */
async function run(...words: string[]): Promise<any> {
  const { code, stdout, stderr } = await ingest(...words, '--json');
  expect([code, stderr]).toEqual([0, expect.anything()]);
  return JSON.parse(stdout);
}

describe('svc ingest of a folder', { timeout: 180_000 }, () => {
  it('goes on after a kill, and ends with what the folder has', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [`part-${i % 7}/note-${i}.md`, `# Note ${i}\n\nLamp ${i} is lit.\n`]),
    );
    put(files);
    const first = startVerb(acme, ['ingest', folder, '--corpus', 'killed']);
    await until('half is read', () => /read 1[0-9]0\/200/.test(first.said.stderr) || first.child.exitCode !== null);
    first.child.kill('SIGKILL');
    expect((await first.ended).code).toBeNull();
    put({ 'part-0/note-0.md': '# Note 0\n\nChanged meanwhile.\n' });
    const { sent, unchanged, failed, left_out } = await run(folder, '--corpus', 'killed');
    expect([sent.length + unchanged, failed, left_out]).toEqual([200, [], []]);
    const stored = await documentsOf(acme, 'killed');
    expect([...stored.keys()].sort()).toEqual(Object.keys(files).sort());
    for (const [docId, { contentHash, url, metadata }] of stored) {
      const bytes = readFileSync(join(folder, docId));
      expect([docId, contentHash, url]).toEqual([docId, blake3Digest(bytes), pathToFileURL(join(folder, docId)).href]);
      expect(metadata).toEqual({
        contentType: 'text/markdown',
        source: { root: `${pathToFileURL(folder).href}/`, digest: sha256Digest(bytes) },
      });
    }
    expect(await run(folder, '--corpus', 'killed')).toMatchObject({ ok: true, sent: [], unchanged: 200 });
    expect((await documentsOf(acme, 'killed')).get('part-1/note-1.md')).toMatchObject({ version: 1 });
  });

  it('fails where what was named gives nothing, and not for an empty folder', async () => {
    put({ 'a.md': '# A', 'photo.png': 'PNG' });
    const { code, stdout } = await ingest(
      ...[join(folder, '*.rst'), join(folder, 'photo.png'), join(folder, 'a.md'), folder],
      ...['--corpus', 'named', '--json'],
    );
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      expect.objectContaining({
        ok: false,
        sent: ['a.md'],
        failed: [
          { name: join(folder, '*.rst'), reason: 'nothing is there of this name' },
          { name: 'photo.png', reason: 'of a type that is not taken' },
        ],
      }),
    ]);
    rmSync(join(folder, 'a.md'));
    expect(await run(folder, '--corpus', 'named')).toMatchObject({ ok: true, sent: [], failed: [] });
  });

  it('says what it leaves out, and why', async () => {
    put({
      '.gitignore': 'drafts/\n*.log.md\n',
      'kept.md': '# Kept',
      'deep/kept.html': '<title>Deep &amp; p&auml;ge</title><p>Text of it.</p>',
      'deep/.gitignore': 'secret.txt\n',
      'deep/secret.txt': 'secret',
      'drafts/idea.md': 'idea',
      'server.log.md': 'log',
      '.hidden.md': 'hidden',
      'node_modules/pkg/README.md': 'package',
      'empty.md': '',
      'blank.txt': ' \n',
      'large.txt': 'x'.repeat(4 * 1024 * 1024 + 1),
      'program.exe': 'MZ',
      'zeros.txt': 'a\0b',
    });
    symlinkSync('kept.md', join(folder, 'link.md'));
    const { sent, left_out } = await run(folder, '--corpus', 'rules');
    expect(sent).toEqual(['deep/kept.html', 'kept.md']);
    expect(Object.fromEntries(left_out.map(({ name, reason }: any) => [name, reason]))).toEqual({
      '.gitignore': 'hidden',
      'deep/.gitignore': 'hidden',
      'deep/secret.txt': 'ignored by .gitignore',
      drafts: 'ignored by .gitignore',
      'server.log.md': 'ignored by .gitignore',
      '.hidden.md': 'hidden',
      'node_modules/': 'installed packages',
      'empty.md': 'empty',
      'blank.txt': 'empty',
      'large.txt': 'larger than 4 MiB',
      'program.exe': 'of a type that is not taken',
      'zeros.txt': 'not text',
      'link.md': 'a symbolic link',
    });
    expect((await documentsOf(acme, 'rules')).get('deep/kept.html')).toMatchObject({ title: 'Deep & päge' });
    const { stdout } = await ingest(folder, '--corpus', 'rules', '--verbose');
    expect(stdout).toMatch(/^rules: 0 sent, 2 unchanged, 13 left out\nLeft out: .*2 empty.*\n/);
    expect(stdout).toMatch(/^LEFT OUT +REASON$/m);
    expect(stdout).not.toContain('\u001b');
    const small = await run(folder, '--corpus', 'rules', '--max-size', '1');
    expect(small.left_out).toContainEqual({ name: 'large.txt', reason: 'larger than 1 MiB (--max-size)' });
  });

  it('sends files where the server takes them, and says so where it does not', async () => {
    put({
      'table.csv': 'name,lamp\nSkerryvore,1844\n',
      'latin-1.txt': Buffer.from('Gr\u00fc\u00dfe an alle', 'latin1'),
    });
    const takesFiles = (await acme.call('POST', '/v1/ingest/file')).status !== 404;
    const { sent, left_out } = await run(folder, '--corpus', 'files');
    const names = ['latin-1.txt', 'table.csv'];
    const reason = expect.stringMatching(/^the server takes no files/);
    expect([sent, left_out]).toEqual(takesFiles ? [names, []] : [[], names.map((name) => ({ name, reason }))]);
    if (takesFiles) expect(await run(folder, '--corpus', 'files')).toMatchObject({ sent: [], unchanged: 2 });
  });

  it('deletes what is gone, and nothing else', async () => {
    put({ 'a.md': 'Alpha', 'b.md': 'Beta', 'sub/c.md': 'Gamma', 'sub/d.txt': 'Delta', 'e.md': 'Epsilon' });
    await run(folder, '--corpus', 'pruned');
    const other = join(folder, 'other');
    putFiles(other, { 'z.md': 'Zeta' });
    await run(other, '--corpus', 'pruned');
    rmSync(join(folder, 'other'), { recursive: true });
    await acme.call('POST', '/v1/ingest', {
      ...{ tenantId: 'acme', corpusId: 'pruned', docId: 'by-hand', title: 'By hand', content: 'By hand.' },
      url: 'https://example.com/by-hand',
    });
    rmSync(join(folder, 'a.md'));
    rmSync(join(folder, 'sub/c.md'));
    put({ '.gitignore': 'e.md\n', 'b.md': '' });
    const refused = await ingest(folder, '--corpus', 'pruned', '--prune');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('add --yes')]);
    expect(await run(folder, '--corpus', 'pruned', '--prune', '--dry-run')).toMatchObject({
      deleted: ['a.md', 'e.md', 'sub/c.md'].sort(),
    });
    const some = await run(`${folder}/*.md`, '--corpus', 'pruned', '--prune', '--yes');
    expect(some.deleted.sort()).toEqual(['a.md', 'e.md']);
    expect((await run(folder, '--corpus', 'pruned', '--prune', '--yes')).deleted).toEqual(['sub/c.md']);
    await until('the one by hand', async () => (await documentsOf(acme, 'pruned')).has('by-hand'));
    expect([...(await documentsOf(acme, 'pruned')).keys()].sort()).toEqual(['b.md', 'by-hand', 'sub/d.txt', 'z.md']);
  });

  it('deletes nothing that is there, be it under another prefix', async () => {
    put({ 'a.md': 'Alpha', 'b.md': 'Beta' });
    await run(folder, '--corpus', 'prefixes', '--prefix', 'docs/');
    rmSync(join(folder, 'b.md'));
    expect(await run(folder, '--corpus', 'prefixes', '--prune', '--yes')).toMatchObject({
      sent: ['a.md'],
      deleted: ['docs/b.md'],
    });
  });

  it('takes no empty name for the folder that it is run in', async () => {
    const refused = await ingest('', '--corpus', 'empty');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('An empty name')]);
  });

  it('leaves a document of the same name from elsewhere alone, unless it is to replace it', async () => {
    put({ 'one/README.md': 'The first', 'two/README.md': 'The second' });
    await run(join(folder, 'one'), '--corpus', 'names');
    const root = `${pathToFileURL(join(folder, 'one')).href}/`;
    const second = await run(join(folder, 'two'), '--corpus', 'names', '--prune', '--yes');
    expect(second).toMatchObject({ sent: [], deleted: [], left_out: [{ name: 'README.md' }] });
    expect(second.left_out[0].reason).toContain(root);
    expect(await run(join(folder, 'two'), '--corpus', 'names', '--prefix', 'two/')).toMatchObject({
      sent: ['two/README.md'],
    });
    expect(await run(join(folder, 'two'), '--corpus', 'names', '--replace')).toMatchObject({ sent: ['README.md'] });
    expect((await documentsOf(acme, 'names')).get('README.md')).toMatchObject({
      contentHash: blake3Digest('The second'),
    });
    const both = await run(join(folder, 'one'), join(folder, 'two'), '--corpus', 'both');
    expect([both.sent, both.left_out.length]).toEqual([['README.md'], 1]);
  });

  it('names a file the same however it is named, under an address of the user', async () => {
    put({ 'a.md': 'Alpha', 'sub/b.md': 'Beta', 'sub/deep/c.md': 'Gamma' });
    const base = ['--corpus', 'bases', '--base-url', 'https://example.com/wiki/'];
    expect((await run(join(folder, 'a.md'), ...base)).sent).toEqual(['a.md']);
    expect((await run(`${folder}/**/b.md`, ...base)).sent).toEqual(['sub/b.md']);
    expect(await run(folder, ...base)).toMatchObject({ sent: ['sub/deep/c.md'], unchanged: 2 });
    expect((await documentsOf(acme, 'bases')).get('sub/b.md')).toMatchObject({
      url: 'https://example.com/wiki/sub/b.md',
      metadata: { source: { root: 'https://example.com/wiki/' } },
    });
  });

  it('follows a folder until it is stopped', async () => {
    put({ 'a.md': 'Alpha' });
    const words = ['ingest', folder, '--corpus', 'watched', '--watch', '--prune', '--yes', '--json'];
    const { child, said, ended } = startVerb(acme, words);
    await until('watching', () => said.stderr.includes('Watching'));
    const stored = async (): Promise<string[]> => [...(await documentsOf(acme, 'watched')).keys()].sort();
    put({ 'b.md': 'Beta', 'new/c.md': 'Gamma', '.hidden.md': 'hidden' });
    await until('added', async () => (await stored()).length === 3);
    put({ 'a.md': 'Alpha, again' });
    await until('changed', async () =>
      [...(await documentsOf(acme, 'watched')).values()].some(
        ({ contentHash }) => contentHash === blake3Digest('Alpha, again'),
      ),
    );
    rmSync(join(folder, 'new'), { recursive: true });
    put({ '.gitignore': 'b.md\n' });
    await until('deleted', async () => (await stored()).join() === 'a.md');
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('svc:')]);
    const passes = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(passes.flatMap(({ sent }) => sent).sort()).toEqual(['a.md', 'a.md', 'b.md', 'new/c.md']);
    expect(passes.flatMap(({ deleted }) => deleted).sort()).toEqual(['b.md', 'new/c.md']);
  });

  it('says what is wrong before it sends anything', async () => {
    put({ 'a.md': 'Alpha' });
    const fails = async (words: string[], code: number, sentence: RegExp, environment = {}): Promise<void> => {
      const ended = await startVerb(acme, ['ingest', ...words], environment).ended;
      expect([words, ended.code, ended.stderr]).toEqual([words, code, expect.stringMatching(sentence)]);
      expect(ended.stderr).not.toMatch(/^ {4}at /m);
    };
    await fails([folder], 2, /--corpus/);
    await fails([join(folder, 'nowhere'), '--corpus', 'x'], 1, /There is no file or folder .*nowhere/);
    await fails([folder, '--corpus', 'x', '--base-url', 'example'], 2, /--base-url takes an address with a slash/);
    await fails([folder, '--corpus', 'x', '--watch', '--dry-run'], 2, /--watch/);
    await fails([folder, '--corpus', 'x', '--max-size', '0'], 2, /MiB/);
    await fails([folder, '--corpus', 'x', '--language', 'klingon'], 2, /Allowed choices/);
    await fails([folder, '--corpus', 'x'], 2, /^svc: Which API key \(SVC_API_KEY, --api-key\)\? /, { SVC_API_KEY: '' });
    await fails([folder, '--corpus', 'x'], 1, /401/, { SVC_API_KEY: 'svc_key_wrong_wrong' });
    await fails([folder, '--corpus', 'x', '--api', 'http://127.0.0.1:9'], 1, /No answer from http:\/\/127.0.0.1:9/);
    expect((await documentsOf(acme, 'x')).size).toBe(0);
  });
});
