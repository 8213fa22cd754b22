// Compiles src to build and bundles that into dist when something changed since the last build; run by `npm run build`
// and before start and test. `node scripts/build.mjs bench` compiles the benchmarks to dist-bench.
import { spawn, spawnSync } from 'node:child_process';
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
import { dirname, extname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { pinnedNode, ROOT } from './pinned-node.mjs';

/** What is built of which folders, where modules are compiled to, and where the program lies that is run. */
const TARGETS = {
  svc: {
    tsconfig: 'tsconfig.build.json',
    sources: ['src'],
    base: 'src',
    compiled: join(ROOT, 'build'),
    out: join(ROOT, 'dist'),
    app: '',
    console: 'console',
  },
  bench: {
    tsconfig: 'tsconfig.bench.json',
    sources: ['src', 'bench'],
    base: '',
    compiled: join(ROOT, 'dist-bench'),
    out: join(ROOT, 'dist-bench'),
    app: 'src',
    measures: 'svc',
  },
};
const LOCK = join(ROOT, 'node_modules', '.svc-build.lock');
const CONFIG = ['package.json', 'package-lock.json', 'tsconfig.json', 'scripts/bundle.mjs', 'scripts/vocabulary.mjs'];

/** Builds if stale. Returns false when the compiler reported errors (they are on the console). Two calls at once build once. */
export async function build(name = 'svc') {
  const target = TARGETS[name];
  if (target.measures && !(await build(target.measures))) return false;
  if (isFresh(target)) return true;
  pinnedNode(); // ends with a remedy when the dependencies are not installed
  await lock();
  try {
    return isFresh(target) || (await compile(target));
  } finally {
    rmSync(LOCK, { force: true });
  }
}

/** Where modules find the files that they read: tests run the compiled ones. */
const foldersOf = ({ compiled, out }) => [...new Set([compiled, out])];

const signatureFile = ({ out }) => join(out, '.build-signature');
const infoFile = ({ out, app }) => join(out, app, 'build-info.json');

function isFresh(target) {
  const info = infoFile(target);
  return (
    existsSync(info) && read(signatureFile(target)) === signature(target) && JSON.parse(read(info)).commit === commit()
  );
}

async function compile(target) {
  const before = signature(target);
  if (read(signatureFile(target)) !== before) {
    process.stderr.write('Building svc; this takes about a quarter of a minute, and only when something changed.\n');
    const tsc = join(ROOT, 'node_modules', '@typescript', 'native', 'bin', 'tsc');
    if (!(await runStep('compiling the program', [tsc, '-p', target.tsconfig]))) return false;
    removeOrphans(target);
    copyFiles(target);
    if (!(await writeVocabulary(target))) return false;
    // What is measured is the program as it is shipped.
    if (target.measures) writeFileSync(join(target.out, target.app, 'main.js'), "import '../../dist/main.js';\n");
    else if (!(await bundle())) return false;
    if (target.console && !(await buildConsole(target.console))) return false;
  }
  writeInfo(target);
  writeFileSync(signatureFile(target), before);
  return true;
}

function writeVocabulary(target) {
  const files = foldersOf(target).map((folder) => join(folder, target.app, 'common/tokens/o200k_base.bin'));
  return runStep('writing the vocabulary', [join(ROOT, 'scripts', 'vocabulary.mjs'), ...files]);
}

/** In a process of its own, by the Node.js of the package: the one that builds may be older. */
const bundle = () => runStep('bundling the program', [join(ROOT, 'scripts', 'bundle.mjs')]);

/** The web page at /console: a single-page app, built by Vite into dist/console. */
function buildConsole(folder) {
  const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
  const options = ['build', '--config', join(folder, 'vite.config.ts'), '--logLevel', 'warn'];
  return runStep('building the console', [vite, ...options]);
}

/** Runs a program of Node.js and shows on stderr that it goes on; what it says is printed when it ended. */
async function runStep(title, args) {
  const began = performance.now();
  const line = () => `  ${title}: ${Math.round((performance.now() - began) / 1000)} s`;
  const { isTTY } = process.stderr;
  const timer = isTTY && setInterval(() => process.stderr.write(`\r${line()}`), 250);
  // Who builds may have set another: tests do, and React would come as its slow half.
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = spawn(pinnedNode(), args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => said.push(bytes));
  const code = await new Promise((resolve) => child.once('error', () => resolve(1)).once('close', resolve));
  clearInterval(timer);
  process.stderr.write(`${isTTY ? '\r' : ''}${line()}\n`);
  process.stderr.write(Buffer.concat(said));
  return code === 0;
}

/** Digest of name, size and time of everything a build reads: also a deleted or an older file makes a build stale. */
function signature(target) {
  const hash = createHash('sha256');
  const sources = walkSources(target).filter((file) => !file.endsWith('.spec.ts'));
  const config = [...CONFIG, target.tsconfig].map((name) => join(ROOT, name));
  for (const file of [...sources, ...config, ...walkConsole(target.console)].sort()) {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat) hash.update(`${relative(ROOT, file)} ${stat.size} ${stat.mtimeMs}\n`);
  }
  return hash.digest('hex');
}

const walkSources = ({ sources }) => sources.flatMap((folder) => walk(join(ROOT, folder)));
const walkConsole = (folder) => (folder ? walk(join(ROOT, folder)) : []);

function walk(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? walk(path) : [path];
  });
}

/** The output of deleted sources stays behind, which could still be imported or applied. */
function removeOrphans(target) {
  const { compiled, base } = target;
  const isOrphan = (folder, file) =>
    !existsSync(join(ROOT, base, relative(folder, file)).replace(/\.js(\.map)?$/, '.ts'));
  for (const file of walk(compiled)) if (/\.js(\.map)?$/.test(file) && isOrphan(compiled, file)) rmSync(file);
  for (const folder of foldersOf(target))
    for (const file of existsSync(folder) ? walk(folder) : [])
      if (isCopied(file) && isOrphan(folder, file)) rmSync(file);
}

/** What the programs read as it stands: interface definitions, SQL functions, surveys and packages of the studio library. */
const isCopied = (file) => ['.proto', '.sql', '.yaml', '.md'].includes(extname(file));

function copyFiles(target) {
  for (const source of walkSources(target).filter(isCopied))
    for (const folder of foldersOf(target)) {
      const copy = join(folder, relative(join(ROOT, target.base), source));
      mkdirSync(dirname(copy), { recursive: true });
      copyFileSync(source, copy);
    }
}

function writeInfo(target) {
  const { version } = JSON.parse(read(join(ROOT, 'package.json')));
  const tag = git('describe', '--tags', '--exact-match');
  const info = { version, commit: commit(), builtAt: new Date().toISOString(), tag };
  mkdirSync(join(target.out, target.app), { recursive: true });
  writeFileSync(infoFile(target), `${JSON.stringify(info, null, 2)}\n`);
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

if (import.meta.url === pathToFileURL(process.argv[1]).href) process.exitCode = (await build(process.argv[2])) ? 0 : 1;
