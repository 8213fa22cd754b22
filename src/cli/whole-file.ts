import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UserError } from '../common/user-error.js';

/** Before anything is done. @throws UserError where the file is there, or its folder is not */
export function checkIsFree(file: string): void {
  if (existsSync(file)) throw exists(file);
  if (!existsSync(dirname(file))) throw new UserError(`There is no folder ${dirname(file)}`);
}

/**
 * Makes a file that is there whole or not at all, for its owner alone. Two runs that make the same one do not meet:
 * each writes a file of its own, and the first to end has the name.
 *
 * @param write leaves the file open, or closes it
 * @throws UserError where the file came to be meanwhile
 */
export async function writeWhole<T>(file: string, write: (made: FileHandle) => Promise<T>): Promise<T> {
  checkIsFree(file);
  const partial = `${file}.${randomUUID().slice(0, 8)}.partial`;
  const made = await open(partial, 'wx', 0o600);
  try {
    const result = await write(made);
    await made.close();
    // Unlike a rename, a link replaces nothing.
    await link(partial, file).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? exists(file) : error;
    });
    return result;
  } finally {
    await made.close().catch(() => undefined);
    await rm(partial, { force: true });
  }
}

const exists = (file: string): UserError => new UserError(`${file} exists; choose another name`);
