// The Node.js this package pins (npm package `node`), for scripts that an older Node may be running.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const MODULES = join(ROOT, 'node_modules');

/**
 * Path of the pinned Node.js. Its package links a binary into place by an install script; where install scripts were held back
 * the platform's own package is used, then the running Node if it is of the pinned major version.
 */
export function pinnedNode() {
  const manifest = join(MODULES, 'node', 'package.json');
  if (!existsSync(manifest)) fail('Dependencies are not installed. Run "npm ci" first.');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  const found = candidates().find((file) => existsSync(file));
  if (found) return found;
  if (process.versions.node.split('.')[0] === version.split('.')[0]) return process.execPath;
  fail(
    `This package runs on Node.js ${version}; this is ${process.versions.node}, and the pinned one is not in place because npm held ` +
      'install scripts back. Run "npm rebuild node" (it fetches the binary), or start with Node.js 24.',
  );
}

function candidates() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  const packages = ['node', 'node-bin'].map((prefix) => `${prefix}-${platform}-${process.arch}`);
  const folders = [MODULES, join(MODULES, 'node', 'node_modules')];
  return [
    join(MODULES, 'node', 'bin', program),
    ...folders.flatMap((folder) => packages.map((name) => join(folder, name, 'bin', program))),
  ];
}

export function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
