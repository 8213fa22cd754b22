#!/usr/bin/env node
import module from 'node:module';

/** Older ones lack what the product is built on; the package brings the one it is tried with. */
const MIN_NODE = 24;

if (Number(process.versions.node.split('.')[0]) < MIN_NODE) {
  process.stderr.write(
    `svc: this is Node.js ${process.versions.node}, and svc needs ${MIN_NODE}. "npm ci" brings it: node_modules/.bin/node dist/main.js\n`,
  );
  process.exit(1);
}
// What a verb compiled is there for the next one. A server loads once, and would keep the cache in its memory.
if (process.argv[2] !== 'start') module.enableCompileCache();
const { run } = await import('./cli/run.js');
await run(process.argv);
