import { fork, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../src/common/config/child-environment.js';
import type { LeaseRecord, LeaseWorkerMessage, LeaseWorkerPlan } from './lease-history.types.js';

const PROGRAM = fileURLToPath(new URL('./lease-worker.js', import.meta.url));
/** Processes that the workers which are never stopped share. */
const SHARED_PROCESSES = 2;
/** How long past the end of its lease a worker stays stopped. */
const PAST_MS = 500;

export interface LeaseLoadPlan {
  url: string;
  tenantId: string;
  items: string[];
  labels: string[];
  workers: number;
  operations: number;
  ttlSeconds: number;
  /** So many of the workers are stopped, each so often. */
  stopped: number;
  stopsEach: number;
}

/** Work in progress. */
export interface LeaseLoad {
  /** Operations so far, about. */
  done(): number;
  isOver(): boolean;
  records: Promise<LeaseRecord[]>;
  /** How often a worker was stopped and continued. */
  stops(): number;
}

/** Starts the workers: the ones that are stopped each in a process of its own, the others in shared ones. */
export function startLeaseLoad(plan: LeaseLoadPlan): LeaseLoad {
  const state = { done: 0, stops: 0, isOver: false };
  const groups = groupsOf(plan);
  const operationsEach = Math.ceil(plan.operations / plan.workers);
  const { url, tenantId, items, labels, ttlSeconds } = plan;
  const running = groups.map(({ workers, stopAfter }) =>
    runWorkers(
      { url, tenantId, items, labels, ttlSeconds, workers, operationsEach, ...(stopAfter && { stopAfter }) },
      state,
    ),
  );
  const records = Promise.all(running)
    .then((all) => all.flat())
    .finally(() => (state.isOver = true));
  // Whoever looks at the progress first sees a failure later.
  records.catch(() => undefined);
  return { done: () => state.done, stops: () => state.stops, isOver: () => state.isOver, records };
}

function groupsOf({
  workers,
  stopped,
  stopsEach,
  operations,
}: LeaseLoadPlan): Pick<LeaseWorkerPlan, 'workers' | 'stopAfter'>[] {
  const numbers = Array.from({ length: workers }, (_, n) => n);
  const each = Math.ceil(operations / workers);
  const alone = numbers.slice(0, stopped).map((number) => ({
    workers: [number],
    stopAfter: Array.from({ length: stopsEach }, (_, n) => Math.floor((each * (n + 1)) / (stopsEach + 2)) + number),
  }));
  const shared = Array.from({ length: SHARED_PROCESSES }, (_, group) => ({
    workers: numbers.slice(stopped).filter((number) => number % SHARED_PROCESSES === group),
  }));
  return [...alone, ...shared.filter(({ workers: some }) => some.length > 0)];
}

function runWorkers(plan: LeaseWorkerPlan, state: { done: number; stops: number }): Promise<LeaseRecord[]> {
  return new Promise((resolve, reject) => {
    const child = fork(PROGRAM, {
      env: childEnvironment({}),
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const abandon = (): void => void child.kill('SIGKILL');
    process.once('exit', abandon);
    child.on('message', (message: LeaseWorkerMessage | { result: LeaseRecord[] } | { error: string }) => {
      if ('progress' in message) state.done += message.progress;
      else if ('isHolding' in message) void stopForAWhile(child, plan.ttlSeconds).then(() => (state.stops += 1));
      else if ('result' in message) resolve(message.result);
      else reject(new Error(`lease-worker: ${message.error}`));
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      process.off('exit', abandon);
      reject(new Error(`lease-worker ended without a result (${signal ?? `code ${code}`})`));
    });
    child.send(plan);
  });
}

/** Stopped until its lease is over; what lets it go on is in the pipe when it is continued. */
async function stopForAWhile(child: ChildProcess, ttlSeconds: number): Promise<void> {
  child.kill('SIGSTOP');
  child.send({ goOn: true });
  await sleep(ttlSeconds * 1000 + PAST_MS);
  child.kill('SIGCONT');
}
