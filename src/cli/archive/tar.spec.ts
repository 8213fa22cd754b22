import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { packEnd, packEntry, unpackEntries, type TarEntry } from './tar.js';

const entries: TarEntry[] = [
  { name: 'backup.json', content: Buffer.from('{}') },
  { name: 'tables/public.tenant/000001', content: Buffer.alloc(512, 7) },
  { name: 'empty', content: Buffer.alloc(0) },
  { name: 'long', content: Buffer.alloc(1300, 'x') },
];
const archive = Buffer.concat([...entries.map(packEntry), packEnd()]);

/** The archive in pieces that fit nothing. */
async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function unpack(bytes: Buffer, size = 700): Promise<TarEntry[]> {
  const found: TarEntry[] = [];
  for await (const entry of unpackEntries(pieces(bytes, size))) found.push(entry);
  return found;
}

it('reads what it wrote, in chunks of any size', async () => {
  for (const size of [1, 511, 513, 100_000]) expect(await unpack(archive, size)).toEqual(entries);
});

it('writes what tar reads', () => {
  const listed = execFileSync('tar', ['-tf', '-'], { input: archive, encoding: 'utf8' });
  expect(listed.trim().split('\n')).toEqual(entries.map((entry) => entry.name));
});

it('refuses an archive that ends early or whose header was changed', async () => {
  await expect(unpack(archive.subarray(0, archive.length - 1500))).rejects.toThrow('ends early');
  const changed = Buffer.from(archive);
  changed[3] = 0x41;
  await expect(unpack(changed)).rejects.toThrow('does not add up');
});
