import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Far more than all tests at once have been seen to take, in bytes. */
const PLENTY = 8 * 2 ** 30;

/**
 * Vitest global set-up: one folder for all that tests write for a while, TMPDIR of their processes. Returns the
 * tear-down, after which nothing of it is left.
 */
export default function makeTemporaryFolder(): () => void {
  const folder = mkdtempSync(join(memoryOrDisk(), 'svc-tests-'));
  chmodSync(folder, 0o1777); // as /tmp: PostgreSQL is another user where tests are root
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/**
 * In memory where there is plenty: clusters are a thousand files each, and ext4 looks long for the number of a new file
 * where many were removed a moment ago.
 */
function memoryOrDisk(): string {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return Math.min(bavail * bsize, freemem()) > PLENTY ? memory : tmpdir();
}
