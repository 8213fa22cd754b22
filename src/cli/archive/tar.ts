import { UserError } from '../../common/user-error.js';

/** One file of an archive. Entries are small (a few MiB), so their content is held whole. */
export interface TarEntry {
  readonly name: string;
  readonly content: Buffer;
}

const BLOCK = 512;

/**
 * An entry in ustar form (POSIX.1-1988, IEEE Std 1003.1 "pax": ustar Interchange Format): header block, content, zero
 * fill.
 */
export function packEntry({ name, content }: TarEntry): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for an archive`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(name, 0);
  header.write(octal(0o600, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(content.length, 11), 124);
  header.write(octal(0, 11), 136);
  header.write(' '.repeat(8), 148); // the checksum counts its own field as spaces
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(`${checksum(header).toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, content, Buffer.alloc(fill(content.length))]);
}

/** Two zero blocks end an archive. */
export const packEnd = (): Buffer => Buffer.alloc(2 * BLOCK);

/**
 * The entries of an archive written with {@link packEntry}.
 * @throws UserError when it is damaged or ends early
 */
export async function* unpackEntries(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry, void> {
  const bytes = new ByteReader(source);
  for (;;) {
    const header = await bytes.read(BLOCK);
    if (header.every((byte) => byte === 0)) return;
    const stored = readOctal(header, 148, 8);
    header.write(' '.repeat(8), 148);
    if (stored !== checksum(header)) throw new UserError('the file is damaged: a header does not add up');
    const size = readOctal(header, 124, 12);
    const content = await bytes.read(size);
    await bytes.read(fill(size));
    yield { name: readText(header, 0, 100), content };
  }
}

const fill = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;
const checksum = (header: Buffer): number => header.reduce((sum, byte) => sum + byte, 0);
const readText = (header: Buffer, start: number, length: number): string =>
  header.toString('utf8', start, start + length).split('\0', 1)[0] ?? '';
const readOctal = (header: Buffer, start: number, length: number): number =>
  Number.parseInt(readText(header, start, length).trim() || '0', 8);

/** Exact numbers of bytes out of a stream of chunks of any size. */
class ByteReader {
  private readonly chunks: AsyncIterator<Buffer>;
  private held: Buffer[] = [];
  private size = 0;

  constructor(source: AsyncIterable<Buffer>) {
    this.chunks = source[Symbol.asyncIterator]();
  }

  async read(size: number): Promise<Buffer> {
    while (this.size < size) {
      const next = await this.chunks.next();
      if (next.done) throw new UserError('the file is damaged: it ends early');
      this.held.push(next.value);
      this.size += next.value.length;
    }
    const all = this.held.length === 1 ? this.held[0]! : Buffer.concat(this.held);
    this.held = [all.subarray(size)];
    this.size -= size;
    return Buffer.from(all.subarray(0, size));
  }
}
