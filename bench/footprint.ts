#!/usr/bin/env node
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { withTemporaryServer, type TemporaryServer } from '../src/common/client/temporary-server.js';
import { BenchRun, jsonOption, type JsonOption } from './bench-run.js';
import { withDatabase } from './database.js';
import { measureIngest } from './ingest-load.js';
import { wholeNumber } from '../src/cli/whole-number.js';
import { syntheticText } from './passages.js';
import { memoryBelow, type ProcessMemory } from './processes.js';
import { mebibytes, type Series } from './report.js';
import { MAX_REQUESTS, measureHttp } from './search-load.js';
import { figure, say, table } from './table.js';

const QUERIES = 1000;
const CLIENTS = 8;
/** Between two readings. */
const READ_EVERY_MS = 1_000;

interface Options extends JsonOption {
  passages: number;
  seconds: number;
  idle: number;
  readings: number;
}

/** The processes of one name, together. */
interface Use {
  name: string;
  processes: number;
  pss: number;
  rss: number;
}

/** What was read at one time of the server's life: the processes at each reading. */
interface Phase {
  when: string;
  readings: ProcessMemory[][];
}

/** `npm run bench:footprint`: the memory of all processes of a server, idle and after it has worked. */
const program = new Command('bench:footprint')
  .description('print the memory of each process of a temporary server, idle, and after ingest and retrieval')
  .option('--passages <number>', 'how many are ingested', wholeNumber(100, 1_000_000), 20_000)
  .option('--seconds <number>', 'how long retrieval goes on after that', wholeNumber(1, 600), 10)
  .option('--idle <number>', 'seconds of rest before memory is read', wholeNumber(0, 3_600), 30)
  .option('--readings <number>', 'how often it is read, once a second', wholeNumber(1, 1_000), 10)
  .addOption(jsonOption())
  .action(async (options: Options) => {
    const run = new BenchRun('footprint', options);
    const phases = await withTemporaryServer({}, (server) => measure(server, options));
    const uses = phases.map(({ when, readings }) => ({ when, uses: usesIn(readings.at(-1)!) }));
    run.print({ phases: uses }, phases.flatMap(seriesOf), () => uses.map(describe).join('\n'));
  });

async function measure(server: TemporaryServer, options: Options): Promise<Phase[]> {
  const idle = await read(server, 'idle', options);
  await work(server, options);
  return [idle, await read(server, 'after ingest and retrieval', options)];
}

async function read({ pid }: TemporaryServer, when: string, { idle, readings: count }: Options): Promise<Phase> {
  say(`Resting for ${idle} s, then reading memory ${when}`);
  await sleep(idle * 1000);
  const readings = [memoryBelow(pid)];
  while (readings.length < count) {
    await sleep(READ_EVERY_MS);
    readings.push(memoryBelow(pid));
  }
  return { when, readings };
}

async function work(server: TemporaryServer, { passages, seconds }: Options): Promise<void> {
  const source = syntheticText();
  say(`Ingesting ${figure(passages)} passages`);
  await withDatabase(server, (database) =>
    measureIngest([{ address: server, from: 0, count: passages }], source, database),
  );
  say(`Retrieval by ${CLIENTS} clients for ${seconds} s`);
  const queries = Array.from({ length: QUERIES }, (_, i) => source.query(i));
  const loop = { clients: CLIENTS, seconds, warmUpRequests: QUERIES, maxRequests: MAX_REQUESTS };
  const { failed } = await measureHttp({ addresses: [server], queries, lane: 'light', ...loop });
  if (failed > 0) say(`${failed} retrievals failed`);
}

/** The largest first, and the sum of all. */
function usesIn(processes: readonly ProcessMemory[]): Use[] {
  const use = (name: string, of: readonly ProcessMemory[]): Use => ({
    ...{ name, processes: of.length },
    ...{ pss: of.reduce((sum, { pss }) => sum + pss, 0), rss: of.reduce((sum, { rss }) => sum + rss, 0) },
  });
  const named = [...Map.groupBy(processes, ({ name }) => name)].map(([name, of]) => use(name, of));
  return [...named.sort((a, b) => b.pss - a.pss), use('all', processes)];
}

/** A name that a reading does not have, of a connection that came and went, has no sample of it. */
function seriesOf({ when, readings }: Phase): Series[] {
  const uses = readings.flatMap(usesIn);
  return [...Map.groupBy(uses, ({ name }) => name)].flatMap(([name, of]) => [
    mebibytes(
      `PSS, ${when}: ${name}`,
      of.map(({ pss }) => pss),
    ),
    mebibytes(
      `RSS, ${when}: ${name}`,
      of.map(({ rss }) => rss),
    ),
  ]);
}

const describe = ({ when, uses }: { when: string; uses: readonly Use[] }): string =>
  table(
    [when, 'processes', 'PSS MiB', 'RSS MiB'],
    uses.map(({ name, processes, pss, rss }) => [name, figure(processes), figure(pss, 1), figure(rss, 1)]),
  );

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`bench:footprint: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
