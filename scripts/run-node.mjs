// Runs the pinned Node.js in the foreground: signals go on to it, its exit code comes back.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { pinnedNode, ROOT } from './pinned-node.mjs';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Resolves with the exit code, 128 + the signal's number when a signal ended it (as a shell reports it). */
export function runNode(args, env = process.env) {
  return new Promise((resolve, reject) => {
    const child = spawn(pinnedNode(), args, { cwd: ROOT, env, stdio: 'inherit' });
    const forward = (signal) => child.kill(signal);
    for (const signal of FORWARDED) process.on(signal, forward);
    // npm that is ended by a signal does not always pass it on; whoever loses its parent is no longer wanted.
    const parent = process.ppid;
    const orphaned = setInterval(() => {
      if (process.ppid !== parent) child.kill('SIGTERM');
    }, 500);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearInterval(orphaned);
      for (const name of FORWARDED) process.off(name, forward);
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}
