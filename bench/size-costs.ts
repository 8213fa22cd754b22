import { existsSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TemporaryServer } from '../src/common/client/temporary-server.js';
import type { BenchDatabase } from './database.js';
import type { PlannedRequest } from './load.types.js';
import { quantile } from './measures.js';
import { memoryBelow } from './processes.js';
import { send } from './requests.js';
import type { Measured } from './speed-rows.js';
import { figure, say } from './table.js';

const RESTARTS = 5;
const LOOK_EVERY_MS = 20;
const MAX_START_MS = 60_000;
const MIB = 1024 * 1024;

/** Whether processes and their memory can be seen. */
export const seesProcesses = (): boolean => existsSync('/proc/self/smaps_rollup');

/** What the rows of all passages, their indexes and what is kept of their ingest take on disk. */
export async function describeDisk(scale: string, database: BenchDatabase): Promise<string> {
  const [row] = await database.query<{ text: string; stored: string }>(
    `select (select sum(octet_length(content)) from document_version)::text as text,
       pg_database_size(current_database())::text as stored`,
    [],
  );
  const [text, stored] = [Number(row!.text), Number(row!.stored)];
  return `Disk of ${scale}: ${figure(stored / MIB)} MiB, ${figure(stored / text, 1)} times the text.`;
}

/** PSS: pages that several processes map count once. */
export function describeMemory(scale: string, { pid }: TemporaryServer): string {
  const processes = memoryBelow(pid);
  const sum = (of: typeof processes): string => figure(of.reduce((total, { pss }) => total + pss, 0));
  const api = processes.filter(({ name }) => name === 'api');
  return `Memory of ${scale}, after all lanes: ${sum(processes)} MiB of all processes, ${sum(api)} of the API.`;
}

/** The first answer of an API process that was killed and started again: it has nothing of the index in memory. */
export async function measureRestarts(
  scale: string,
  server: TemporaryServer,
  requests: readonly PlannedRequest[],
): Promise<Measured> {
  const agent = new Agent({ keepAlive: false });
  const samples: number[] = [];
  let failed = 0;
  for (let number = 0; number < RESTARTS; number++) {
    say(`Killing the API, ${number + 1} of ${RESTARTS}`);
    await restartApi(server);
    const startedAt = performance.now();
    const request = requests[number % requests.length]!;
    if (!(await send(agent, `${server.url}/v1/retrieve`, { method: 'POST', ...request }))) failed += 1;
    samples.push(performance.now() - startedAt);
  }
  const sorted = Float64Array.from(samples).sort();
  const p50 = quantile(sorted, 0.5);
  return {
    ...{ scale, what: 'light, first query after a restart', clients: 1, perSecond: 1000 / p50 },
    ...{ p50, p99: quantile(sorted, 0.99), samples, failed },
  };
}

async function restartApi({ pid, url }: TemporaryServer): Promise<void> {
  const before = apiBelow(pid);
  for (const id of before) process.kill(id, 'SIGKILL');
  const deadline = performance.now() + MAX_START_MS;
  while (performance.now() < deadline) {
    await sleep(LOOK_EVERY_MS);
    const now = apiBelow(pid);
    if (now.length > 0 && !now.some((id) => before.includes(id)) && (await isReady(url))) return;
  }
  throw new Error('the API was not ready again within a minute');
}

const apiBelow = (pid: number): number[] =>
  memoryBelow(pid)
    .filter(({ name }) => name === 'api')
    .map(({ id }) => id);

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
