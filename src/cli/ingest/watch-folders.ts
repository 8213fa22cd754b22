import { once } from 'node:events';
import { basename, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { watch } from 'chokidar';
import { onStopSignal } from '../../apps/supervisor/stop-signal.js';
import { report, UserError } from '../output.js';
import { passedOver } from './folder-walk.js';

/** A file that is being written is looked at when nothing was written for so long. */
const QUIET_MS = 300;

/**
 * Calls `pass` once, and again after changes below the folders, one call at a time. The first SIGINT or SIGTERM after
 * the first pass ends it; a pass in progress is waited for.
 * @param pass called with whether it is not the first
 * @throws UserError where the folders cannot be watched
 */
export async function watchFolders(
  folders: readonly string[],
  pass: (isAgain: boolean) => Promise<void>,
): Promise<void> {
  const changes = new Changes();
  const watcher = watch([...folders], {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (path) => isPassedOver(path, folders),
  });
  watcher.on('all', () => changes.add());
  watcher.on('error', (error) => changes.fail(error));
  try {
    // What changes from here on is seen: nothing falls between the first pass and the watch.
    await Promise.race([once(watcher, 'ready'), changes.some()]);
    await pass(false);
    report(`Watching ${folders.join(', ')}; Ctrl-C ends it`);
    await goOn(changes, pass);
  } finally {
    await watcher.close();
  }
}

async function goOn(changes: Changes, pass: (isAgain: boolean) => Promise<void>): Promise<void> {
  let isStopped = false;
  const stopped = onStopSignal().requested.then(() => (isStopped = true));
  for (;;) {
    await Promise.race([changes.some(), stopped]);
    if (isStopped) return;
    await changes.quiet();
    if (isStopped) return;
    await pass(true);
  }
}

/** What changed since it was last asked for. */
class Changes {
  private count = 0;
  private failure: unknown;
  private next = Promise.withResolvers<undefined>();

  add(): void {
    this.count += 1;
    this.next.resolve(undefined);
  }

  fail(error: unknown): void {
    this.failure = error;
    this.next.resolve(undefined);
  }

  /** Settles at the first change. */
  async some(): Promise<void> {
    await this.next.promise;
    if (this.failure !== undefined)
      throw new UserError(`The folders cannot be watched: ${(this.failure as Error).message}`);
  }

  /** Settles when the last change is a while ago, and begins to count again. */
  async quiet(): Promise<void> {
    for (let before = -1; before !== this.count;) {
      before = this.count;
      await sleep(QUIET_MS);
    }
    if (this.failure !== undefined) return;
    this.count = 0;
    this.next = Promise.withResolvers<undefined>();
  }
}

/** Of what is below the folders; .gitignore files say what is left out. */
function isPassedOver(path: string, folders: readonly string[]): boolean {
  if (basename(path) === '.gitignore') return false;
  const folder = folders.find((one) => path === one || path.startsWith(one + sep));
  const parts = folder === undefined ? [] : relative(folder, path).split(sep).filter(Boolean);
  return parts.some((name) => passedOver(name, true) !== undefined);
}
