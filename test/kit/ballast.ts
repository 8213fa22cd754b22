import { execFileSync } from 'node:child_process';
import { rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** Far more than all else on the machine writes while a test waits, in bytes. */
const MOST = 4 * 1024 ** 3;

/** Where tests fill a disk: never in memory, as other tests' folders may be. */
export const ON_DISK = '/var/tmp';

/** A file that takes a good part of what is free on the file system of a folder, allocated and not written. */
export class Ballast {
  private readonly file: string;
  private readonly bytes: number;
  /** SVCD_DATA_DIR_MIN_FREE_RATIO: met without the file by half of its bytes, missed with it by as many. */
  readonly leastFree: number;

  constructor(folder: string) {
    this.file = join(folder, 'ballast');
    const { bavail, blocks, bsize } = statfsSync(folder);
    this.bytes = Math.floor(Math.min(bavail * bsize * 0.2, MOST));
    this.leastFree = bavail / blocks - this.bytes / 2 / (blocks * bsize);
  }

  take(): void {
    const size = String(this.bytes);
    if (process.platform === 'darwin') execFileSync('mkfile', [size, this.file]);
    else execFileSync('fallocate', ['--posix', '--length', size, this.file]);
  }

  release(): void {
    rmSync(this.file, { force: true });
  }
}
