#!/usr/bin/env node
import { setTimeout as wait } from 'node:timers/promises';
import { Command } from 'commander';
import { withTemporaryServer, type TemporaryServer } from '../src/common/client/temporary-server.js';
import { BenchRun, jsonOption, type JsonOption } from './bench-run.js';
import { runChild } from './child.js';
import type { FactsPlan } from './facts-load.types.js';
import type { LoadResult } from './load.types.js';
import { loadSeries } from './report.js';
import { wholeNumber } from '../src/cli/whole-number.js';
import { say } from './table.js';
import { callDaemon, TENANT } from './work-board.js';

const SEEDERS = 8;
const WARM_UP = 50;
/** Steps below the root that have steps of their own. */
const AGENTS = 20;
/** What the first page of a session may take. */
const TARGET_MS = 100;
const AT = { actor: 'agent:bench', ts_start: '2026-11-23T09:00:00Z' };

interface Options extends JsonOption {
  steps: number;
  seconds: number;
}

/** `npm run bench:observe`: pages of observed sessions with many steps, on a temporary server of this machine. */
const program = new Command('bench:observe')
  .description('make sessions with many steps through the daemon, and measure their pages')
  .option('--steps <number>', 'of each session', wholeNumber(100, 100_000), 20_000)
  .option('--seconds <number>', 'how long each measurement lasts', wholeNumber(1, 60), 5)
  .addOption(jsonOption())
  .action(async (options: Options) => {
    const run = new BenchRun('observe', options);
    const pages = await benchPages(options);
    run.print(
      { pages },
      Object.entries(pages).flatMap(([what, load]) => loadSeries(what, load)),
    );
    const late = Object.entries(pages).filter(([, { p95, failed }]) => p95 > TARGET_MS || failed > 0);
    for (const [what, { p95, failed }] of late) say(`${what}: p95 ${p95.toFixed(1)} ms, ${failed} failed`);
    if (late.length > 0) process.exitCode = 1;
  });

function benchPages({ steps, seconds }: Options): Promise<Record<string, LoadResult>> {
  const environment = { SVCD_OBSERVE: '1', SVCD_RATE_LIMIT_RPS: '0' };
  return withTemporaryServer({ environment }, async (server) => {
    await makeSession(server, { session: 'flat', steps, parentOf: () => 'root' });
    const parentOf = (n: number): string => (n < AGENTS ? 'root' : `step-${n % AGENTS}`);
    await makeSession(server, { session: 'tree', steps, parentOf });
    const figures: Record<string, LoadResult> = {};
    for (const [what, path] of Object.entries(PAGES)) {
      say(what);
      const urls = [`${server.daemonUrl}/v1/observe/sessions/${path}`];
      const loop = { clients: 1, warmUpRequests: WARM_UP, seconds, maxRequests: 1_000_000 };
      const plan: FactsPlan = { ...loop, kind: 'get', urls, scopes: 'admin:read', tenantId: TENANT };
      figures[what] = await runChild<FactsPlan, LoadResult>('facts-load', plan);
    }
    return figures;
  });
}

/** What a reader of a session asks for first. */
const PAGES = {
  'first page of a flat session': 'flat/audit',
  'first page of 200, flat': 'flat/audit?limit=200',
  'roots of a flat session': 'flat/audit?depth=1',
  'first page below the root': 'flat/audit?parent_id=root&depth=1',
  'first page of a tree': 'tree/audit',
  'two levels of a tree': 'tree/audit?depth=2&limit=200',
  'below an agent of a tree': 'tree/audit?parent_id=step-7&limit=200',
} as const;

/** A step below one of the first waits for those: they are made before the others. */
async function makeSession(
  server: TemporaryServer,
  { session, steps, parentOf }: { session: string; steps: number; parentOf: (n: number) => string },
): Promise<void> {
  say(`Making ${steps} steps of the session ${session}`);
  const path = `/v1/observe/sessions/${session}/steps`;
  await callDaemon(server, 'POST', path, { ...AT, node_id: 'root', label: 'Run', kind: 'agent' });
  const make = async (n: number): Promise<void> => {
    const inputs = [{ kind: 'text', text: `Step ${n} looks at the price of bolt ${n % 97}.` }];
    const step = { ...AT, node_id: `step-${n}`, parent_id: parentOf(n), label: `Step ${n}`, kind: 'tool', inputs };
    await patiently(() => callDaemon(server, 'POST', path, step));
  };
  for (let n = 0; n < AGENTS; n++) await make(n);
  let next = AGENTS;
  const seed = async (): Promise<void> => {
    while (next < steps) await make(next++);
  };
  await Promise.all(Array.from({ length: SEEDERS }, seed));
}

/** A machine that is busy answers 503 now and then; a step whose answer was lost is there. */
async function patiently(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      await work();
      return;
    } catch (error) {
      const [, status] = / answered (\d+)/.exec((error as Error).message) ?? [];
      if (status === '409' && attempt > 1) return;
      if (status !== '503' || attempt === 20) throw error;
      await wait(250);
    }
}

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`bench:observe: ${(error as Error).stack}\n`);
  process.exitCode = 1;
}
