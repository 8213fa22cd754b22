import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { UserError } from '../../common/user-error.js';
import { git, tryGit } from './git-call.js';
import { HOOKS, hookScript, isOurs, keptName, type HookName } from './hook-script.js';

interface Installed {
  folder: string;
  hooks: { name: HookName; kept: string | null }[];
}

interface Uninstalled {
  folder: string;
  hooks: { name: HookName; outcome: string }[];
}

/**
 * Puts our hooks where git looks for them. Again: the same, with this program.
 * @param isShared whether that may be outside the repository
 * @throws UserError where a hook of others is in the way twice
 */
export function installHooks(isShared: boolean): Installed {
  const folder = hooksFolder();
  if (!isShared) checkOwn(folder);
  for (const name of HOOKS) checkFree(folder, name);
  mkdirSync(folder, { recursive: true });
  return { folder, hooks: HOOKS.map((name) => install(folder, name)) };
}

export function uninstallHooks(): Uninstalled {
  const folder = hooksFolder();
  return { folder, hooks: HOOKS.map((name) => ({ name, outcome: uninstall(folder, name) })) };
}

/** core.hooksPath, or that of the repository, which its work trees share. */
const hooksFolder = (): string => resolve(git(['rev-parse', '--git-path', 'hooks']).replace(/\n$/, ''));

/** A folder that core.hooksPath names may be that of every repository of this user. */
function checkOwn(folder: string): void {
  const places = [git(['rev-parse', '--git-common-dir']), tryGit(['rev-parse', '--show-toplevel'])];
  const inside = places.some((place) => place !== undefined && isBelow(folder, resolve(place.replace(/\n$/, ''))));
  if (inside) return;
  throw new UserError(
    `core.hooksPath names ${folder}, outside this repository: hooks there run in others too. Give --shared if that is meant, or have its hooks call "svc hook run"`,
  );
}

const isBelow = (folder: string, place: string): boolean => {
  const way = relative(real(place), real(folder));
  return way !== '..' && !way.startsWith(`..${sep}`);
};

const real = (path: string): string => (existsSync(path) ? realpathSync(path) : path);

function checkFree(folder: string, name: HookName): void {
  const [hook, kept] = [join(folder, name), join(folder, keptName(name))];
  if (isThere(kept) && isThere(hook) && !isOurs(readFileSync(hook, 'utf8')))
    throw new UserError(`${hook} is not ours, and ${kept} is there as well: keep one of them, then install again`);
}

function install(folder: string, name: HookName): { name: HookName; kept: string | null } {
  const [hook, kept] = [join(folder, name), join(folder, keptName(name))];
  if (isThere(hook) && !isOurs(readFileSync(hook, 'utf8'))) renameSync(hook, kept);
  writeFileSync(`${hook}.svc-new`, hookScript(name, [process.execPath, resolve(process.argv[1]!)]));
  chmodSync(`${hook}.svc-new`, 0o755);
  renameSync(`${hook}.svc-new`, hook);
  return { name, kept: isThere(kept) ? keptName(name) : null };
}

function uninstall(folder: string, name: HookName): string {
  const [hook, kept] = [join(folder, name), join(folder, keptName(name))];
  if (!isThere(hook) || !isOurs(readFileSync(hook, 'utf8'))) return 'not installed, nothing changed';
  if (isThere(kept)) {
    renameSync(kept, hook);
    return 'taken away; the hook from before is back';
  }
  rmSync(hook);
  return 'taken away';
}

/** A link that leads nowhere is there too. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
