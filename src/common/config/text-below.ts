import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

/**
 * The text of a file that is below the root itself, whatever became of its folders since they were listed. No link is
 * followed, and nothing but a file is opened for long: a pipe would never end.
 * @param root a real path
 * @param path below it, with slashes
 * @throws Error saying what is wrong with it: {@link faultOf} says it without the path
 */
export async function readTextBelow(root: string, path: string, maxBytes: number): Promise<string> {
  const file = join(root, path);
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error('is no file');
    const real = root + sep + path.split('/').join(sep);
    if ((await realpath(file)) !== real) throw new Error('lies behind a link');
    // What was opened, and not what a folder on the way led to a moment ago.
    const named = await lstat(real);
    if (named.ino !== stats.ino || named.dev !== stats.dev) throw new Error('was exchanged while it was read');
    const bytes = Buffer.alloc(Math.min(maxBytes, stats.size) + 1);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    if (bytesRead > maxBytes) throw new Error(`has more than ${maxBytes} bytes`);
    return decode(bytes.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
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
