import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTextBelow } from '../../common/config/text-below.js';
import { FolderSource } from './folder-source.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-source-'));
  mkdirSync(join(folder, 'root/sub'), { recursive: true });
  mkdirSync(join(folder, 'outside'));
  for (const file of ['root/a.md', 'root/sub/b.md', 'root/c.md', 'outside/b.md'])
    writeFileSync(join(folder, file), `# ${file}`);
  symlinkSync(join(folder, 'outside/b.md'), join(folder, 'link.md'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const sourceOf = (name: string) => FolderSource.open(join(folder, name), { maxBytes: 1000 });

describe('files of a folder', () => {
  it('are read as they were listed, and not where a link leads that came in their place', async () => {
    const { entries } = await sourceOf('root').list();
    rmSync(join(folder, 'root/a.md'));
    symlinkSync(join(folder, 'outside/b.md'), join(folder, 'root/a.md'));
    renameSync(join(folder, 'root/sub'), join(folder, 'root/was'));
    symlinkSync(join(folder, 'outside'), join(folder, 'root/sub'));
    const read = await Promise.all(entries.map(async ({ docId, read: of }) => [docId, (await of(undefined)).kind]));
    expect(read).toEqual([
      ['a.md', 'left out'],
      ['c.md', 'text'],
      ['sub/b.md', 'left out'],
    ]);
  });

  it('may be a link that was named itself', async () => {
    const { entries } = await sourceOf('link.md').list();
    expect(await entries[0]!.read(undefined)).toMatchObject({ kind: 'text', text: '# outside/b.md' });
  });
});

it.skipIf(process.platform !== 'linux')('a file that has more than it says is not read in part', async () => {
  await expect(readTextBelow('/proc', 'version', 1000)).rejects.toThrow('written while it was read');
});
