import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Several processes may use one embedded server at a time (`svc start` and `svc key create`). Each writes a file
 * `<pid>.<random>` into the holders directory; the last one to leave stops the server. Files of processes that were
 * killed count for nothing.
 */
export function addHolder(holdersDir: string): string {
  const file = join(holdersDir, `${process.pid}.${randomBytes(4).toString('hex')}`);
  writeFileSync(file, '', { mode: 0o600 });
  return file;
}

/** Removes a holder; true when no live one remains. */
export function removeHolder(holdersDir: string, holder: string): boolean {
  rmSync(holder, { force: true });
  return !readdirSync(holdersDir).some((name) => isAlive(Number(name.split('.')[0])));
}

/** Whether a process has this pid. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * $1 the server's pid, $2 the holders directory, $3 postmaster.pid (which goes with the server, while a zombie keeps
 * its pid). Three looks in a row without a live holder, then fast shutdown.
 */
const WATCH = `
idle=0
while kill -0 "$1" 2>/dev/null && read -r pid 2>/dev/null <"$3" && [ "$pid" = "$1" ]; do
  sleep 5
  live=
  for file in "$2"/*; do
    name="\${file##*/}"
    kill -0 "\${name%%.*}" 2>/dev/null && live=1
  done
  if [ "$live" ]; then idle=0; else idle=$((idle + 1)); fi
  [ "$idle" -ge 3 ] && kill -INT "$1" 2>/dev/null
done
exit 0
`;

/**
 * Starts a small shell loop, in a session of its own, that ends the server some 15 s after its last holder is gone:
 * nothing else could after a kill -9 of every holder. A start within that time finds the server running and adopts it.
 */
export function watchHolders(serverPid: number, holdersDir: string, pidFile: string): void {
  const watch = spawn('/bin/sh', ['-c', WATCH, 'svc-postgres-watch', String(serverPid), holdersDir, pidFile], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    detached: true,
    stdio: 'ignore',
  });
  // Without a shell (a bare container image) the server merely is not ended after a kill -9; the next start adopts it.
  watch.on('error', () => undefined);
  watch.unref();
}
