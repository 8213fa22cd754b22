import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { extract, pack, type Pack } from 'tar-stream';
import { UserError } from '../../common/user-error.js';

/** One file of an archive. Entries are small (a few MiB), so their content is held whole. */
export interface TarEntry {
  readonly name: string;
  readonly content: Buffer;
}

/** Far above what a piece of a table with one large row takes: a header that was changed may say anything. */
const MAX_ENTRY_BYTES = 2 ** 30;

/** The bytes of an archive in ustar form (POSIX.1-1988), each entry asked for when the one before is taken. */
export async function* packEntries(entries: AsyncIterable<TarEntry> | Iterable<TarEntry>): AsyncGenerator<Buffer> {
  const archive = pack();
  addAll(archive, entries).catch((error: Error) => archive.destroy(error));
  yield* archive as AsyncIterable<Buffer>;
}

async function addAll(archive: Pack, entries: AsyncIterable<TarEntry> | Iterable<TarEntry>): Promise<void> {
  for await (const entry of entries) await add(archive, entry);
  archive.finalize();
}

/** The same entries make the same bytes, whenever they are packed. */
const add = (archive: Pack, { name, content }: TarEntry): Promise<void> =>
  new Promise((resolve, reject) =>
    archive.entry({ name, mode: 0o600, mtime: new Date(0) }, content, (error) => (error ? reject(error) : resolve())),
  );

/**
 * The entries of an archive.
 * @throws UserError when it is damaged or ends within an entry; what its source throws
 */
export async function* unpackEntries(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry, void> {
  const archive = extract();
  let failed: Error | undefined;
  const bytes = Readable.from(source).on('error', (error: Error) => {
    failed = error;
    archive.destroy(error);
  });
  bytes.pipe(archive);
  try {
    for await (const entry of archive) {
      const { name, size = 0 } = entry.header;
      if (size > MAX_ENTRY_BYTES) throw new Error(`${name} would have ${size} bytes`);
      yield { name, content: await buffer(entry) };
    }
  } catch (error) {
    if (failed !== undefined) throw failed;
    throw new UserError(`the file is damaged: ${(error as Error).message}`);
  } finally {
    bytes.destroy();
  }
}
