import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TemporaryServer } from '../src/common/client/temporary-server.js';

export type Victim = 'daemon' | 'postgresql';

const LOOK_MS = 20;
/** The supervisor waits at most 5 s before it starts again what died. */
const HEAL_MS = 120_000;

/** Kills a process of a temporary server by SIGKILL, and waits until the supervisor has it ready again. */
export async function killAndHeal(server: TemporaryServer, victim: Victim): Promise<void> {
  const pid = pidOf(server, victim);
  process.kill(pid, 'SIGKILL');
  await untilHealed(server, victim, pid);
}

function pidOf({ dataDir }: TemporaryServer, what: Victim): number {
  if (what === 'postgresql')
    return Number(readFileSync(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
  const lines = readFileSync(join(dataDir, 'server.log'), 'utf8').split('\n').slice(0, -1);
  const ready = lines
    .filter((line) => line.includes('"ready"') && line.includes('"daemon"'))
    .map((line) => JSON.parse(line) as { app?: string; msg?: string; pid: number })
    .findLast(({ app, msg }) => app === 'daemon' && msg === 'ready');
  if (!ready) throw new Error('The log names no daemon that is ready');
  return ready.pid;
}

async function untilHealed(server: TemporaryServer, what: Victim, before: number): Promise<void> {
  const deadline = performance.now() + HEAL_MS;
  for (;;) {
    await sleep(LOOK_MS);
    const isReady = await fetch(`${server.daemonUrl}/readyz`).then(
      async (response) => {
        await response.arrayBuffer();
        return response.ok;
      },
      () => false,
    );
    if (isReady && pidOf(server, what) !== before) return;
    if (performance.now() > deadline) throw new Error(`${what} did not come back within ${HEAL_MS} ms`);
  }
}
