import { execFileSync } from 'node:child_process';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { expect, it } from 'vitest';
import { UserError } from '../../common/user-error.js';
import { packEntries, unpackEntries, type TarEntry } from './tar.js';

const entries: TarEntry[] = [
  { name: 'backup.json', content: Buffer.from('{}') },
  { name: 'tables/public.tenant/00000001', content: Buffer.alloc(512, 7) },
  { name: 'files/credentials.json', content: Buffer.alloc(0) },
  { name: 'digests.json', content: Buffer.alloc(1300, 'x') },
];
const archive = await buffer(packEntries(entries));

/** The same entries as svc 0.1.0 wrote them, before a library did. */
const FORMER = gunzipSync(
  Buffer.from(
    'H4sIAAAAAAACA+3XQQ6CMBAF0O68hieA36bAeQpUUyWV0JKYGO9uMMaoLFjRmPDfZrrrYvI709o057HPTuHixVoAoASeFfMKQH2cISCBshB7iATGEM0gkOSuP3S7C9qwaOrOhrwf6841WbTe+Ji/gijT5F9+vwVT/lWhK+Y/hR1t2sFN8W8G21ofnenCCqvA8vyf5V9Jzv8kWne0IYZVF8CF/iut9O/+pyrN/qdwJSKiN/4KiWgLHpO2k9oAFgAA',
    'base64',
  ),
);

/** The archive in pieces that fit nothing. */
async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const unpack = (bytes: Buffer, size = 700): Promise<TarEntry[]> =>
  Readable.from(unpackEntries(pieces(bytes, size))).toArray();

it.each([1, 511, 513, 100_000])('reads what it wrote, in chunks of %i bytes', async (size) => {
  expect(await unpack(archive, size)).toEqual(entries);
});

it('reads what was written before', async () => {
  expect(await unpack(FORMER)).toEqual(entries);
});

it('writes what tar reads, with the same bytes each time', async () => {
  const listed = execFileSync('tar', ['-tf', '-'], { input: archive, encoding: 'utf8' });
  expect(listed.trim().split('\n')).toEqual(entries.map((entry) => entry.name));
  expect(await buffer(packEntries(entries))).toEqual(archive);
});

it('refuses an archive that ends within an entry or whose header was changed', async () => {
  const cut = unpack(archive.subarray(0, archive.length - 1500));
  await expect(cut).rejects.toThrow(new UserError('the file is damaged: Unexpected end of data'));
  const changed = Buffer.from(archive);
  changed[3] = 0x41;
  await expect(unpack(changed)).rejects.toThrow(/^the file is damaged: Invalid tar header/);
});

it('refuses an entry that says it is larger than memory, before any of it is read', async () => {
  const large = pack();
  large.entry({ name: 'tables/public.fact/00000001', size: 2 ** 32 }, () => undefined);
  async function* source(): AsyncGenerator<Buffer> {
    for await (const header of large) {
      yield header as Buffer;
      throw new Error('more was read');
    }
  }
  const read = Readable.from(unpackEntries(source())).toArray();
  await expect(read).rejects.toThrow('the file is damaged: tables/public.fact/00000001 would have 4294967296 bytes');
});

it('hands on what its source fails with', async () => {
  async function* failing(): AsyncGenerator<Buffer> {
    yield archive.subarray(0, 900);
    throw new Error('no such disk');
  }
  await expect(Readable.from(unpackEntries(failing())).toArray()).rejects.toThrow(new Error('no such disk'));
});

it('hands on what its entries fail with', async () => {
  async function* failing(): AsyncGenerator<TarEntry> {
    yield entries[0]!;
    throw new Error('no such table');
  }
  await expect(buffer(packEntries(failing()))).rejects.toThrow(new Error('no such table'));
});

it('asks for no entry before the one before is taken', async () => {
  let asked = 0;
  function* many(): Generator<TarEntry> {
    for (; asked < 100; asked++) yield { name: `${asked}`, content: Buffer.alloc(1_000_000) };
  }
  const bytes = packEntries(many());
  await bytes.next();
  await bytes.return(undefined);
  expect(asked).toBeLessThan(5);
});
