import { readFile, stat } from 'node:fs/promises';
import { UserError } from '../user-error.js';

const MAX_BYTES = 1024 * 1024;

/** A file of an operator that a variable names, read when it is asked for and again when it has changed. */
export class WatchedFile<T> {
  private known: { state: string; value: T } | undefined;

  /** @param use how its text is read, and what counts where no file is named */
  constructor(
    private readonly variable: string,
    readonly path: string | undefined,
    private readonly use: { parse: (text: string) => T; unset: T },
  ) {}

  /** @throws UserError naming the variable and the file, where it cannot be used */
  async check(): Promise<void> {
    try {
      await this.read();
    } catch (error) {
      throw new UserError(`${this.variable}=${this.path} cannot be used: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  /** @throws Error where it cannot be used as it is now; what it said before does not count any more */
  async read(): Promise<T> {
    if (this.path === undefined) return this.use.unset;
    const { ino, size, mtimeMs, ctimeMs } = await stat(this.path);
    const state = [ino, size, mtimeMs, ctimeMs].join();
    if (this.known?.state === state) return this.known.value;
    this.known = undefined;
    if (size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
    const value = this.use.parse(await readFile(this.path, 'utf8'));
    this.known = { state, value };
    return value;
  }
}
