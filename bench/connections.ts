#!/usr/bin/env node
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { withTemporaryServer } from '../src/common/client/temporary-server.js';
import { BenchRun, jsonOption, type JsonOption } from './bench-run.js';
import { holdConnections, readState, type HoldPlan, type HoldResult, type ServiceState } from './held-connections.js';
import { mebibytes, milliseconds, type Series } from './report.js';
import { wholeNumber } from '../src/cli/whole-number.js';
import { figure, say, table } from './table.js';

interface Options extends JsonOption {
  sse: number;
  streams: number;
  seconds: number;
  rounds: number;
  settle: number;
}

interface Round extends HoldResult {
  before: ServiceState;
  after: ServiceState;
}

/**
 * `npm run bench:connections`: what many open connections to the tool service cost, and whether their heartbeats are on
 * time.
 */
const program = new Command('bench:connections')
  .description(
    'hold many connections to the tool service of a temporary server open, and measure heartbeats and memory',
  )
  .option('--sse <number>', 'connections to GET /sse', wholeNumber(0, 10_000), 1_000)
  .option('--streams <number>', 'streams (POST /stream), each with a call every 5 seconds', wholeNumber(0, 10_000), 200)
  .option('--seconds <number>', 'how long they are held', wholeNumber(0, 3_600), 60)
  .option('--rounds <number>', 'how often: what a round leaves behind the next one shows', wholeNumber(0, 100), 3)
  .option('--settle <number>', 'seconds of rest before memory is read', wholeNumber(0, 600), 10)
  .addOption(jsonOption())
  .action(async (options: Options) => {
    const run = new BenchRun('connections', options);
    const environment = { SVC_TOOLS_RATE_LIMIT: '0' };
    const rounds = await withTemporaryServer({ environment }, ({ toolsUrl: url, tenantId, apiKey }) =>
      measure({ url, tenantId, apiKey, ...options }, options),
    );
    run.print({ rounds }, seriesOf(rounds), () => describe(rounds));
  });

async function measure(plan: HoldPlan, { rounds: count, settle }: Options): Promise<Round[]> {
  // What is loaded and compiled with the first connections is not theirs.
  await holdConnections({
    ...plan,
    sse: Math.min(20, plan.sse),
    streams: Math.min(20, plan.streams),
    seconds: Math.min(5, plan.seconds),
  });
  const rounds: Round[] = [];
  for (let round = 1; round <= count; round += 1) {
    await sleep(settle * 1000);
    const before = await readState(plan.url);
    say(`Round ${round}: ${plan.sse} connections and ${plan.streams} streams for ${plan.seconds} s`);
    const result = await holdConnections(plan);
    await sleep(settle * 1000);
    rounds.push({ ...result, before, after: await readState(plan.url) });
  }
  return rounds;
}

const seriesOf = (rounds: readonly Round[]): Series[] => [
  milliseconds(
    'opening all',
    rounds.map(({ openingMs }) => openingMs),
  ),
  milliseconds(
    'from one heartbeat to the next',
    rounds.flatMap(({ waits }) => waits.samples),
  ),
  milliseconds(
    'a call on a stream',
    rounds.flatMap(({ answers }) => answers.samples),
  ),
  ...(['before', 'held', 'after'] as const).flatMap((when) => [
    mebibytes(
      `resident, ${when}`,
      rounds.map((round) => round[when].residentMiB),
    ),
    mebibytes(
      `heap, ${when}`,
      rounds.map((round) => round[when].heapMiB),
    ),
  ]),
];

const MEMORY_HEAD = ['round', 'resident MiB', 'heap MiB', 'external MiB'];

function describe(rounds: readonly Round[]): string {
  const memory = (name: string, { residentMiB, heapMiB, externalMiB }: ServiceState) => [
    name,
    ...[residentMiB, heapMiB, externalMiB].map((value) => figure(value)),
  ];
  const states = rounds.flatMap(({ before, held, after }, n) => [
    memory(`${n + 1}, before`, before),
    memory(`${n + 1}, held`, held),
    memory(`${n + 1}, after`, after),
  ]);
  const head = ['round', 'opened in ms', 'heartbeats', 'most late ms', 'calls', 'slowest ms', 'lost'];
  const rows = rounds.map((one, n) => [
    String(n + 1),
    ...[one.openingMs, one.heartbeats, one.maxLateMs, one.calls, one.slowestCallMs, one.lost].map((value) =>
      figure(value),
    ),
  ]);
  return `${table(head, rows)}\n${table(MEMORY_HEAD, states)}`;
}

await program.parseAsync(process.argv);
