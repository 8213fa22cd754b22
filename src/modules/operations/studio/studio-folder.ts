import { lstat, opendir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { faultOf, readTextBelow } from '../../../common/config/text-below.js';
import { readPackage, type PackageFiles, type ReadEngram } from './studio-package.rules.js';
import { PACKAGE_ID, type PackageFault, type PackageSource, type StudioPackage } from './studio.types.js';

/** Of a file and of a package, files of a package, packages of a folder, and folders within each other. */
const PACKAGE_LIMITS = {
  fileBytes: 256 * 1024,
  bytes: 1024 * 1024,
  files: 64,
  packages: 100,
  depth: 3,
} as const;

/**
 * The packages below a folder, one a folder in it. A broken one is a fault and keeps no other out. Links are not
 * followed.
 */
export async function readPackagesBelow(
  folder: string,
  source: PackageSource,
  readEngram: ReadEngram,
): Promise<{ packages: StudioPackage[]; faults: PackageFault[] }> {
  const packages: StudioPackage[] = [];
  const faults: PackageFault[] = [];
  try {
    const root = await realpath(folder);
    const names = await namesIn(root);
    for (const name of names.slice(0, PACKAGE_LIMITS.packages)) {
      const read = await readOne(root, name, readEngram);
      if (read && 'problem' in read) faults.push(read);
      else if (read) packages.push({ ...read, source });
    }
    if (names.length > PACKAGE_LIMITS.packages)
      faults.push({ path: '.', problem: `has more than ${PACKAGE_LIMITS.packages} packages; the others are left out` });
  } catch (error) {
    faults.push({ path: '.', problem: `cannot be read: ${faultOf(error)}` });
  }
  return { packages, faults };
}

/** @returns undefined for what is no folder */
async function readOne(
  root: string,
  name: string,
  readEngram: ReadEngram,
): Promise<Omit<StudioPackage, 'source'> | PackageFault | undefined> {
  try {
    const entry = await lstat(join(root, name));
    if (entry.isSymbolicLink()) throw new Error('is a link, and links are not followed');
    if (!entry.isDirectory()) return undefined;
    if (!PACKAGE_ID.test(name)) throw new Error('has no id of a package: a-z, 0-9 and -, at most 63');
    return readPackage(name, await readFiles(root, name), readEngram);
  } catch (error) {
    return { path: name.slice(0, 200), problem: faultOf(error).slice(0, 1_000) };
  }
}

/** By their paths below the package. */
async function readFiles(root: string, name: string): Promise<PackageFiles> {
  const files = new Map<string, string>();
  let bytes = 0;
  for (const path of await pathsBelow(root, name, PACKAGE_LIMITS.depth)) {
    if (files.size >= PACKAGE_LIMITS.files) throw new Error(`has more than ${PACKAGE_LIMITS.files} files`);
    const own = path.slice(name.length + 1);
    const text = await readTextBelow(root, path, PACKAGE_LIMITS.fileBytes).catch((error: unknown) => {
      throw new Error(`${own}: ${faultOf(error)}`, { cause: error });
    });
    bytes += Buffer.byteLength(text);
    if (bytes > PACKAGE_LIMITS.bytes) throw new Error(`has more than ${PACKAGE_LIMITS.bytes} bytes`);
    files.set(own, text);
  }
  return files;
}

async function pathsBelow(root: string, folder: string, depth: number): Promise<string[]> {
  const paths: string[] = [];
  for (const name of await namesIn(join(root, folder))) {
    const path = `${folder}/${name}`;
    const entry = await lstat(join(root, path));
    if (!entry.isDirectory()) paths.push(path);
    else if (depth > 1) paths.push(...(await pathsBelow(root, path, depth - 1)));
    else throw new Error(`${path.slice(path.indexOf('/') + 1)} lies too deep`);
    if (paths.length > PACKAGE_LIMITS.files) throw new Error(`has more than ${PACKAGE_LIMITS.files} files`);
  }
  return paths;
}

/** Without the hidden ones. @throws Error where there are far too many */
async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(folder)) {
    if (!name.startsWith('.')) names.push(name);
    if (names.length > MAX_NAMES) throw new Error(`has more than ${MAX_NAMES} entries in one folder`);
  }
  return names.sort();
}

const MAX_NAMES = 1_000;
