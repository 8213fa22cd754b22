#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { Agent } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { LANES, type Lane } from '../src/common/client/api-replies.js';
import { withTemporaryServer, type TemporaryServer } from '../src/common/client/temporary-server.js';
import { BenchRun, jsonOption, type JsonOption } from './bench-run.js';
import { runClosedLoop } from './closed-loop.js';
import { withDatabase, type BenchDatabase } from './database.js';
import { factOf } from './facts-load.types.js';
import { measureIngest } from './ingest-load.js';
import { wholeNumber } from '../src/cli/whole-number.js';
import { compare, type Compared, type Pair, type Slice } from './pairs.js';
import { syntheticText } from './passages.js';
import { processorSeconds } from './processor-time.js';
import { perSecond, seconds, type Series } from './report.js';
import { send } from './requests.js';
import { LIMIT, MAX_REQUESTS, requestAs } from './search-load.js';
import { figure, say, table } from './table.js';

const QUERIES = 200;
/** What a slice leaves behind, commits to the disk and the round of the log, is not to weigh on the next. */
const REST_MS = 500;
const LIMITS = { SVCD_RATE_LIMIT_RPS: '0' };

interface Options extends JsonOption {
  before: string;
  after?: string;
  only: string[];
  pairs: number;
  seconds: number;
  clients: number;
  passages: number;
  batch: number;
  profile?: string;
}

interface Side {
  server: TemporaryServer;
  database: BenchDatabase;
  agent: Agent;
}

/** What came of one kind. */
interface Trial {
  compared: Compared;
  pairs: readonly Pair[];
}

/** One slice of one build: of the number given, so that no two slices do the same. */
type Work = (side: Side, number: number) => Promise<Slice>;

const KINDS = ['facts', ...LANES, 'ingest'];
const kinds = (text: string): string[] => {
  const named = text.split(',');
  if (named.some((name) => !KINDS.includes(name))) throw new InvalidArgumentError(`expected of ${KINDS.join(', ')}`);
  return named;
};

/**
 * `npm run bench:paired`: two builds at once on this machine, driven in short slices by turns, so that what else the
 * machine does weighs on both.
 */
const program = new Command('bench:paired')
  .description('compare two builds: PUT /v1/facts, retrieval in each lane and ingest, in short slices by turns')
  .requiredOption('--before <folder>', 'a checkout with node_modules and dist, as `npm ci && npm run build` make them')
  .option('--after <folder>', 'another one; without it this checkout')
  .option('--only <names>', `of ${KINDS.join(', ')}, with commas between`, kinds, KINDS)
  .option('--pairs <number>', 'how many slices each build gets of each kind', wholeNumber(1, 1000), 15)
  .option('--seconds <number>', 'how long a slice of facts or retrieval lasts', wholeNumber(1, 60), 2)
  .option('--clients <number>', 'requests in flight', wholeNumber(1, 256), 8)
  .option('--passages <number>', 'how many passages are searched', wholeNumber(100, 1_000_000), 5000)
  .option('--batch <number>', 'how many passages a slice of ingest brings in', wholeNumber(1, 100_000), 1500)
  .option('--profile <folder>', 'run both under the profiler and leave the profiles in its folders before and after')
  .addOption(jsonOption())
  .action(async (options: Options) => {
    const run = new BenchRun('paired', options);
    const trials = await measure(options);
    const results = trials.map(({ compared }) => compared);
    run.print({ results }, trials.flatMap(seriesOf), () => table(HEAD, results.map(rowOf)));
  });

const measure = (options: Options): Promise<Trial[]> =>
  onBuild(options.before, 'before', options, (before) =>
    onBuild(options.after, 'after', options, async (after) => {
      const trials: Trial[] = [];
      for (const kind of options.only) trials.push(await WORKS[kind]!(options, [before, after]));
      return trials;
    }),
  );

function onBuild<T>(
  folder: string | undefined,
  name: string,
  { profile, clients }: Options,
  work: (side: Side) => Promise<T>,
): Promise<T> {
  const main = folder === undefined ? undefined : resolve(folder, 'dist', 'main.js');
  if (main !== undefined && !existsSync(main))
    throw new Error(`there is no ${main}: run npm ci && npm run build there`);
  const nodeArguments = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${join(resolve(profile), name)}`];
  say(`Starting the build ${name}`);
  return withTemporaryServer(
    { nodeArguments, environment: LIMITS, ...(main === undefined ? {} : { program: main }) },
    (server) =>
      withDatabase(server, async (database) => {
        const agent = new Agent({ keepAlive: true, maxSockets: clients, scheduling: 'fifo' });
        return await work({ server, database, agent }).finally(() => agent.destroy());
      }),
  );
}

type Sides = readonly [Side, Side];
const WORKS: Record<string, (options: Options, sides: Sides) => Promise<Trial>> = {
  facts: (options, sides) => inTurn('PUT /v1/facts', options, sides, factsWork(options)),
  ...Object.fromEntries(
    LANES.map((lane) => [lane, (options: Options, sides: Sides) => retrieval(lane, options, sides)]),
  ),
  ingest: (options, sides) => inTurn('ingest', options, sides, ingestWork(options)),
};

const filled = new WeakSet<Side>();

async function retrieval(lane: Lane, options: Options, sides: Sides): Promise<Trial> {
  for (const side of sides.filter((one) => !filled.has(one))) {
    say(`Ingesting ${figure(options.passages)} passages`);
    const load = { address: side.server, from: 0, count: options.passages };
    await measureIngest([load], syntheticText(), side.database);
    filled.add(side);
  }
  return inTurn(`${lane} retrieval`, options, sides, retrievalWork(lane, options));
}

/** The first slice of each build warms it up and does not count. Who begins a pair changes with each. */
async function inTurn(what: string, { pairs: count }: Options, [before, after]: Sides, work: Work): Promise<Trial> {
  say(`${what}: ${count} pairs`);
  const pairs: Pair[] = [];
  const slice = async (side: Side, number: number): Promise<Slice> => {
    const [pid, used] = [side.server.pid, processorSeconds(side.server.pid)];
    const done = await work(side, number);
    await sleep(REST_MS);
    const processor = used === undefined ? undefined : (processorSeconds(pid) ?? Number.NaN) - used;
    return { ...done, processor };
  };
  for (let number = 0; number <= count; number++) {
    const first = number % 2 === 0 ? before : after;
    const one = await slice(first, number);
    const other = await slice(first === before ? after : before, number);
    if (number > 0) pairs.push(first === before ? { before: one, after: other } : { before: other, after: one });
  }
  const compared = compare(what, pairs);
  say(table(HEAD, [rowOf(compared)]));
  return { compared, pairs };
}

async function closedLoop(
  { clients, seconds }: Options,
  warmUpRequests: number,
  once: (number: number) => Promise<boolean>,
): Promise<Slice> {
  const loop = { clients, seconds, warmUpRequests, maxRequests: MAX_REQUESTS };
  const { count, perSecond, failed } = await runClosedLoop(loop, once);
  return { done: count, seconds: count === 0 ? seconds : count / perSecond, failed };
}

const FACT_HEADERS = { 'x-svc-scopes': 'facts:write', 'x-svc-tenant-id': 'stored', 'content-type': 'application/json' };

const factsWork =
  (options: Options): Work =>
  ({ server, agent }, run) =>
    closedLoop(options, 0, (number) =>
      send(agent, `${server.daemonUrl}/v1/facts`, {
        method: 'PUT',
        headers: FACT_HEADERS,
        body: JSON.stringify(factOf(`${run}`, number)),
      }),
    );

function retrievalWork(lane: Lane, options: Options): Work {
  const source = syntheticText();
  const queries = Array.from({ length: QUERIES }, (_, number) => source.query(number));
  return ({ server, agent }, run) => {
    const requests = queries.map((query) => requestAs(server, { query, limit: LIMIT, lane }));
    // What a query reads is in memory from its second time on.
    return closedLoop(options, run === 0 ? 5 * QUERIES : 0, (number) =>
      send(agent, `${server.url}/v1/retrieve`, { method: 'POST', ...requests[number % QUERIES]! }),
    );
  };
}

/** Until all is searchable. Documents follow those that retrieval searches. */
function ingestWork({ passages, batch }: Options): Work {
  const source = syntheticText();
  return async ({ server, database }, run) => {
    const load = { address: server, from: passages + run * batch, count: batch };
    const { perSecond } = await measureIngest([load], source, database);
    return { done: batch, seconds: batch / perSecond, failed: 0 };
  };
}

/** Of each slice its rate and its processor time for each thing done, and of each pair their ratio. */
function seriesOf({ compared: { what }, pairs }: Trial): Series[] {
  const rate = ({ done, seconds: took }: Slice): number => done / took;
  const cost = ({ processor, done }: Slice): number => (processor ?? Number.NaN) / done;
  const ofBuild = (build: 'before' | 'after'): Series[] => [
    perSecond(
      `${what}, ${build}`,
      pairs.map((pair) => rate(pair[build])),
    ),
    seconds(
      `${what}, ${build}: processor time of each`,
      pairs.map((pair) => cost(pair[build])),
    ),
  ];
  const ratios = pairs.map(({ before, after }) => rate(after) / rate(before));
  return [...ofBuild('before'), ...ofBuild('after'), { ...perSecond(`${what}, after / before`, ratios), unit: '' }];
}

const HEAD = [
  ...['', 'pairs', 'before / s', 'after / s', 'ratio', 'lowest pair', 'middle', 'highest'],
  ...['processor time, ratio', 'failed'],
];

const rowOf = (one: Compared): string[] => [
  one.what,
  figure(one.pairs),
  ...[one.before, one.after].map((value) => figure(value)),
  ...[one.ratio, one.lowest, one.middle, one.highest, one.processor].map((value) => figure(value, 3)),
  figure(one.failed),
];

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`bench:paired: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
