import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

/**
 * The bytes of a file that is below the root itself, whatever became of its folders since they were listed. No link is
 * followed, and nothing but a file is opened for long: a pipe would never end. One that is written meanwhile is none
 * that anybody wrote.
 * @param root a real path
 * @param path below it, with slashes
 * @throws Error saying what is wrong with it: {@link faultOf} says it without the path
 */
export async function readBytesBelow(root: string, path: string, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const file = join(root, path);
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error('is no file');
    const real = root + (root.endsWith(sep) ? '' : sep) + path.split('/').join(sep);
    if ((await realpath(file)) !== real) throw new Error('lies behind a link');
    // What was opened, and not what a folder on the way led to a moment ago.
    const named = await lstat(real);
    if (named.ino !== stats.ino || named.dev !== stats.dev) throw new Error('was exchanged while it was read');
    if (stats.size > maxBytes) throw new Error(`has more than ${maxBytes} bytes`);
    const bytes = Buffer.alloc(stats.size + 1);
    const length = await fill(handle, bytes);
    if (length !== stats.size) throw new Error('was written while it was read');
    return bytes.subarray(0, length);
  } finally {
    await handle.close();
  }
}

/** The same, as text of UTF-8. */
export async function readTextBelow(root: string, path: string, maxBytes: number): Promise<string> {
  return decode(await readBytesBelow(root, path, maxBytes));
}

/** @returns how many bytes there were; one read need not give all */
async function fill(handle: FileHandle, bytes: Buffer): Promise<number> {
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}

/** What keeps a file from being read, without its path on this machine. */
export function faultOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ELOOP') return 'is a link, and links are not followed';
  return code ?? (error instanceof Error ? error.message : 'unknown');
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('is not UTF-8');
  }
}
