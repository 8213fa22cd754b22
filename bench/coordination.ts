#!/usr/bin/env node
import { Command } from 'commander';
import { BenchRun, jsonOption, type JsonOption } from './bench-run.js';
import { benchBoard, type BoardFigures } from './board-speed.js';
import { contend, type ContentionResult } from './contention.js';
import { loadSeries, milliseconds, perSecond, type Series } from './report.js';
import { wholeNumber } from '../src/cli/whole-number.js';
import { say } from './table.js';

interface Options extends JsonOption {
  operations: number;
  items: number;
  workers: number;
  stopped: number;
  stops: number;
  ttl: number;
  kills: number;
  seconds: number;
}

interface Report {
  speed?: BoardFigures;
  leases?: ContentionResult;
}

/**
 * `npm run bench:coordination`: many workers claim, renew, write to and release work items of a temporary server while
 * some of them are stopped and server and database are killed; what they saw is checked for linearizability.
 */
const program = new Command('bench:coordination')
  .description('drive the leases of a temporary server, check every history for linearizability, and measure the board')
  .option('--operations <number>', 'calls of all workers; 0 leaves this part out', wholeNumber(0, 1_000_000), 100_000)
  .option('--items <number>', 'work items', wholeNumber(64, 100_000), 10_000)
  .option('--workers <number>', 'at once', wholeNumber(4, 512), 64)
  .option('--stopped <number>', 'workers that are stopped by SIGSTOP past their lease', wholeNumber(0, 32), 3)
  .option('--stops <number>', 'how often each of them is', wholeNumber(1, 32), 3)
  .option('--ttl <seconds>', 'how long a lease lasts', wholeNumber(1, 60), 3)
  .option('--kills <number>', 'kill -9 of daemon and PostgreSQL in turn, so often', wholeNumber(0, 100), 0)
  .option('--seconds <number>', 'how long each measurement of speed lasts; 0 leaves them out', wholeNumber(0, 60), 10)
  .addOption(jsonOption())
  .action(async (options: Options) => {
    const run = new BenchRun('coordination', options);
    const report = await measure(options);
    run.print(report, seriesOf(report));
    if (report.leases && report.leases.faults.length > 0) process.exitCode = 1;
  });

function seriesOf({ speed = {}, leases }: Report): Series[] {
  const board = Object.entries(speed).flatMap(([what, load]) => loadSeries(what, load));
  if (!leases) return board;
  const calls = Object.entries(leases.calls.samples).map(([kind, took]) => milliseconds(`leases, ${kind}`, took));
  return [...board, ...calls, perSecond('leases, all calls: rate', [leases.perSecond])];
}

async function measure(options: Options): Promise<Report> {
  const speed = options.seconds > 0 ? await benchBoard(options) : undefined;
  const leases = options.operations > 0 ? await contend(options) : undefined;
  for (const fault of leases?.faults.slice(0, 20) ?? []) say(`FAULT: ${fault}`);
  return {
    ...(speed && { speed }),
    ...(leases && { leases }),
  };
}

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`bench:coordination: ${(error as Error).stack}\n`);
  process.exitCode = 1;
}
