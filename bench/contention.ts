import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { withTemporaryServer, type TemporaryServer } from '../src/common/client/temporary-server.js';
import { childEnvironment } from '../src/common/config/child-environment.js';
import { withDatabase } from './database.js';
import { killAndHeal, type Victim } from './killing.js';
import { judgeLeases, type LeaseVerdict } from './lease-history.js';
import type { LeaseFact, LeaseRecord } from './lease-history.types.js';
import { startLeaseLoad, type LeaseLoad } from './lease-load.js';
import { say } from './table.js';
import { makeBoard, TENANT } from './work-board.js';

const PROGRAM = fileURLToPath(new URL('../src/main.js', import.meta.url));
/** Microseconds that the clocks of callers and database may differ by, and what a step of the clock adds. */
const TOLERANCE = 5_000;
const LOOK_MS = 20;

export interface ContentionPlan {
  operations: number;
  items: number;
  workers: number;
  stopped: number;
  stops: number;
  ttl: number;
  kills: number;
}

export interface ContentionResult extends LeaseVerdict {
  perSecond: number;
  /** Milliseconds of each call that was answered, by its kind. */
  calls: { samples: Partial<Record<LeaseRecord['kind'], number[]>> };
  /** How often a worker was stopped past its lease and continued. */
  stops: number;
  kills: Record<Victim, number>;
  /** That PostgreSQL ended, each by failing one of two callers; since it was started last. */
  deadlocks: number;
  /** What `svc doctor --full` finds in the evidence. */
  doctor: { name: string; ok: boolean; detail: string }[];
}

/** Workers on a server of their own, and the judgement of what they saw. */
export async function contend(plan: ContentionPlan): Promise<ContentionResult> {
  const environment = { SVCD_RATE_LIMIT_RPS: '0', SVCD_DATA_DIR_MIN_FREE_RATIO: '0', SVC_LOG_LEVEL: 'info' };
  return withTemporaryServer({ environment }, async (server) => {
    say(`Making ${plan.items} work items`);
    const board = await makeBoard(server, plan.items);
    say(`${plan.workers} workers, ${plan.operations} calls, ${plan.kills} kills`);
    const clock = [steadyOffset()];
    const startedAt = performance.now();
    const load = startLeaseLoad({
      ...{ url: server.daemonUrl, tenantId: TENANT, ...board, workers: plan.workers, operations: plan.operations },
      ...{ ttlSeconds: plan.ttl, stopped: plan.stopped, stopsEach: plan.stops },
    });
    const kills = await killInTurn(server, load, plan);
    const records = await load.records;
    const seconds = (performance.now() - startedAt) / 1000;
    clock.push(steadyOffset());
    const drift = Math.abs(clock[1]! - clock[0]!);
    if (drift > TOLERANCE) say(`The clock of this machine moved by ${Math.round(drift)} microseconds`);
    say('Checking the histories');
    const { facts, deadlocks } = await readDatabase(server);
    const verdict = judgeLeases(records, facts, (ms) => ms * 1000 + clock[0]!, TOLERANCE + drift);
    const doctor = await examine(server);
    const amiss = doctor.filter(({ ok }) => !ok).map(({ name, detail }) => `svc doctor --full, ${name}: ${detail}`);
    return {
      ...verdict,
      faults: [...verdict.faults, ...amiss],
      ...{ perSecond: verdict.operations / seconds, calls: { samples: latenciesOf(records) } },
      ...{ stops: load.stops(), kills, deadlocks, doctor },
    };
  });
}

/** One that was under way while its worker was stopped has the time of the stop in it; they are few. */
function latenciesOf(records: readonly LeaseRecord[]): ContentionResult['calls']['samples'] {
  const answered = records.filter(({ status }) => status !== 0);
  const inOrder = answered.sort((a, b) => a.end - b.end);
  const took = ({ start, end }: LeaseRecord): number => (end - start) / 1000;
  return Object.fromEntries([...Map.groupBy(inOrder, ({ kind }) => kind)].map(([kind, of]) => [kind, of.map(took)]));
}

/** What has to be added to a time of day to get the steady clock, in microseconds: read as a millisecond begins. */
function steadyOffset(): number {
  const before = Date.now();
  let now = before;
  while (now === before) now = Date.now();
  return Number(process.hrtime.bigint() / 1000n) - now * 1000;
}

/** Kills in the middle of work, however fast that goes: each when another share of it is done. */
async function killInTurn(
  server: TemporaryServer,
  load: LeaseLoad,
  { kills, operations }: ContentionPlan,
): Promise<ContentionResult['kills']> {
  const killed = { daemon: 0, postgresql: 0 };
  for (let kill = 0; kill < kills && !load.isOver(); kill += 1) {
    const share = (operations * (kill + 1)) / (kills + 2);
    while (!load.isOver() && load.done() < share) await sleep(LOOK_MS);
    if (load.isOver()) break;
    const victim = kill % 2 === 0 ? 'daemon' : 'postgresql';
    killed[victim] += 1;
    await killAndHeal(server, victim);
    say(`${victim} was killed and is back, after ${load.done()} calls`);
  }
  return killed;
}

function readDatabase(server: TemporaryServer): Promise<{ facts: LeaseFact[]; deadlocks: number }> {
  return withDatabase(server, async (database) => {
    const rows = await database.query<Omit<LeaseFact, 'fence' | 'expiresAtMs'> & { fence: string; expires_at: Date }>(
      `select l.fence, l.subject as item, l.holder_passport as holder, l.expires_at, l.status,
         exists (select from receipt r where r.tenant_id = l.tenant_id and r.receipt_id = l.receipt_acquire) as "hasReceipt"
       from lease l where l.tenant_id = $1 and l.kind = 'work'`,
      [TENANT],
    );
    const [counted] = await database.query<{ deadlocks: string }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
      [],
    );
    const facts = rows.map(({ fence, expires_at, ...fact }) => ({
      ...{ ...fact, fence: Number(fence), expiresAtMs: expires_at.getTime() },
    }));
    return { facts, deadlocks: Number(counted!.deadlocks) };
  });
}

function examine({ dataDir }: TemporaryServer): Promise<ContentionResult['doctor']> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, 'doctor', '--full', '--json'], {
      env: childEnvironment({ SVC_DATA_DIR: dataDir, SVCD_AUTH_MODE: 'dev_scopes', SVCD_DATA_DIR_MIN_FREE_RATIO: '0' }),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
    child.once('error', reject);
    child.once('close', () => {
      try {
        resolve((JSON.parse(text) as { checks: ContentionResult['doctor'] }).checks);
      } catch {
        reject(new Error(`svc doctor answered ${text}`));
      }
    });
  });
}
