// `npm start`: builds if needed, then `svc start` for trying the product out on this machine.
import { join } from 'node:path';
import { build } from './build.mjs';
import { ROOT } from './pinned-node.mjs';
import { runNode } from './run-node.mjs';

if (await build()) {
  const env = { ...process.env };
  if (!env.SVCD_AUTH_MODE) {
    env.SVCD_AUTH_MODE = 'dev_scopes';
    process.stderr.write('npm start sets SVCD_AUTH_MODE=dev_scopes: for trying out, not for production.\n');
  }
  process.exitCode = await runNode([join(ROOT, 'dist', 'main.js'), 'start', ...process.argv.slice(2)], env);
} else {
  process.exitCode = 1;
}
