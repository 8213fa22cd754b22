#!/usr/bin/env node
import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { wholeNumber } from '../src/cli/whole-number.js';
import { BenchRun, jsonOption, type JsonOption } from './bench-run.js';
import { count, perSecond, seconds, type Series } from './report.js';
import { trySync, type TrialPlan, type TrialResult } from './sync-trial.js';
import { figure, say, table } from './table.js';

interface Options extends Omit<TrialPlan, 'seed'>, JsonOption {
  seed?: number;
}

/** `npm run bench:sync`: two daemons exchange what they have while they are killed and their connections are cut. */
const program = new Command('bench:sync')
  .description('bring two daemons with databases of their own to the same records through kills and cut connections')
  .option('--records <number>', 'of all collections, on both sides together', wholeNumber(1000, 10_000_000), 100_000)
  .option('--kills <number>', 'kill -9 of either daemon, at random times', wholeNumber(0, 1000), 20)
  .option('--cuts <number>', 'connections that are cut after a random byte', wholeNumber(0, 1000), 40)
  .option('--seed <number>', 'of kills and cuts; any one where it is left out', wholeNumber(0, 2 ** 32 - 1))
  .addOption(jsonOption())
  .action(async (options: Options) => {
    const plan = { ...options, seed: options.seed ?? randomInt(2 ** 32) };
    const run = new BenchRun('sync', plan);
    const result = await trySync(plan);
    run.print(result, seriesOf(result), textOf);
    for (const fault of result.faults) say(`FAULT: ${fault}`);
    if (result.faults.length > 0) process.exitCode = 1;
  });

const seriesOf = ({ reading, confirm, seconds: took, requestsWhenEqual }: TrialResult): Series[] => [
  ...Object.entries({ reading, confirm }).flatMap(([what, { perSecond: all, first, last }]) => [
    perSecond(what, [all]),
    perSecond(`${what}, first tenth`, [first]),
    perSecond(`${what}, last tenth`, [last]),
  ]),
  seconds('until both are equal', [took]),
  count('requests when equal', [requestsWhenEqual]),
];

const textOf = (result: TrialResult): string =>
  [
    table(
      [
        'seed',
        'records',
        'kills here',
        'kills there',
        'before all was there',
        'cuts',
        'seconds',
        'requests when equal',
      ],
      [
        [
          ...[`${result.seed}`, figure(result.records), figure(result.kills.here), figure(result.kills.there)],
          ...[figure(result.kills.beforeAllWasThere), figure(result.cuts), figure(result.seconds, 1)],
          figure(result.requestsWhenEqual),
        ],
      ],
    ),
    table(
      ['what', 'records', 'records/s', 'first tenth', 'last tenth'],
      (['reading', 'confirm'] as const).map((what) => {
        const { records, perSecond, first, last } = result[what];
        return [what, figure(records), figure(perSecond), figure(first), figure(last)];
      }),
    ),
    table(
      ['collection', 'versions', 'root here', 'root there'],
      result.collections.map((one) => [
        ...[one.collection, figure(one.source_count), one.source_root.slice(0, 23), one.target_root.slice(0, 23)],
      ]),
    ),
  ].join('\n');

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`bench:sync: ${(error as Error).stack}\n`);
  process.exitCode = 1;
}
