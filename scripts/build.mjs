// Compiles src to dist when something changed since the last build; run by `npm run build` and before start and test.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { pinnedNode, ROOT } from './pinned-node.mjs';

const DIST = join(ROOT, 'dist');
const SRC = join(ROOT, 'src');
const SIGNATURE = join(DIST, '.build-signature');
const INFO = join(DIST, 'build-info.json');
const LOCK = join(ROOT, 'node_modules', '.svc-build.lock');
const CONFIG = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];

/** Builds if stale. Returns false when the compiler reported errors (they are on the console). Two calls at once build once. */
export async function build() {
  if (isFresh()) return true;
  pinnedNode(); // ends with a remedy when the dependencies are not installed
  await lock();
  try {
    return isFresh() || compile();
  } finally {
    rmSync(LOCK, { force: true });
  }
}

function isFresh() {
  return existsSync(INFO) && read(SIGNATURE) === signature() && JSON.parse(read(INFO)).commit === commit();
}

function compile() {
  const before = signature();
  if (read(SIGNATURE) !== before) {
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const run = spawnSync(pinnedNode(), [tsc, '-p', 'tsconfig.build.json'], { cwd: ROOT, stdio: ['ignore', 2, 2] });
    if (run.status !== 0) return false;
    removeOrphans(DIST);
    copyInterfaces();
  }
  writeInfo();
  writeFileSync(SIGNATURE, before);
  return true;
}

/** Digest of name, size and time of everything a build reads: also a deleted or an older file makes a build stale. */
function signature() {
  const hash = createHash('sha256');
  const sources = walk(SRC).filter((file) => !file.endsWith('.spec.ts'));
  for (const file of [...sources, ...CONFIG.map((name) => join(ROOT, name))].sort()) {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat) hash.update(`${relative(ROOT, file)} ${stat.size} ${stat.mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function walk(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? walk(path) : [path];
  });
}

/** The compiler leaves the output of deleted sources behind, which could still be imported. */
function removeOrphans(folder) {
  for (const file of walk(folder)) {
    const source = join(SRC, relative(DIST, file)).replace(/\.js(\.map)?$/, '.ts');
    if (/\.js(\.map)?$/.test(file) && !existsSync(source)) rmSync(file);
  }
}

/** What is read beside the programs as it stands: interface definitions. */
function copyInterfaces() {
  for (const source of walk(SRC).filter((file) => file.endsWith('.proto')))
    copyFileSync(source, join(DIST, relative(SRC, source)));
}

function writeInfo() {
  const { version } = JSON.parse(read(join(ROOT, 'package.json')));
  const tag = git('describe', '--tags', '--exact-match');
  const info = { version, commit: commit(), builtAt: new Date().toISOString(), tag };
  mkdirSync(DIST, { recursive: true });
  writeFileSync(INFO, `${JSON.stringify(info, null, 2)}\n`);
}

/** A container build has no repository and is told its commit. */
function commit() {
  return process.env.SVC_BUILD_COMMIT || git('rev-parse', 'HEAD');
}

function git(...args) {
  const run = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return run.status === 0 ? run.stdout.trim() : null;
}

function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

async function lock() {
  for (;;) {
    try {
      return writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (!isAlive(Number(read(LOCK)))) rmSync(LOCK, { force: true });
      await sleep(50);
    }
  }
}

function isAlive(pid) {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) process.exitCode = (await build()) ? 0 : 1;
