#!/usr/bin/env node
import { resolve } from 'node:path';
import { Command } from 'commander';
import { BenchRun, jsonOption, type JsonOption } from './bench-run.js';
import { compareReports } from './compare-reports.js';
import { benchFactSearch } from './facts-search.js';
import { benchFacts } from './facts.js';
import { wholeNumber } from '../src/cli/whole-number.js';
import { syntheticText, textFromFolder } from './passages.js';
import { describeReport, rowSeries, type Measured, type Report } from './speed-rows.js';
import { benchProcesses, benchSize, benchTenants, benchTools, type Bench } from './scenarios.js';
import { say } from './table.js';

const PASSAGES_A_TENANT = 100;
/** Different queries, and how many of them make do for a smoke run. */
const QUERIES = 1000;
const FEW_QUERIES = 50;
const MAX_PASSAGES = 1_000_000;
const MAX_SEARCHED_FACTS = 100_000;

interface Options extends JsonOption {
  sizes: number[];
  data?: string;
  seconds: number;
  processes: number;
  tenants: number;
  tools: number;
  facts: number;
  profile: boolean;
  quick: boolean;
  compare?: string[];
}

const wholes = (text: string): number[] => text.split(',').filter(Boolean).map(wholeNumber(100, MAX_PASSAGES));

/**
 * `npm run bench`: how fast ingest and retrieval are through HTTP, and what limits them, each on a temporary server of
 * this machine.
 */
const program = new Command('bench')
  .description(
    'measure ingest and retrieval through HTTP, with their limits for comparison, on temporary servers of this machine',
  )
  .option(
    '--sizes <numbers>',
    "numbers of passages, with commas between; '' leaves this part out",
    wholes,
    [10_000, 100_000],
  )
  .option(
    '--data <folder>',
    'draw the text from its corpus.jsonl or .txt and .md files; without it the text is generated',
  )
  .option('--seconds <number>', 'how long each measurement of retrieval lasts', wholeNumber(1, 60), 5)
  .option(
    '--processes <number>',
    'also this many API processes on one database, at the first size; 1 leaves this part out',
    wholeNumber(1, 16),
    2,
  )
  .option(
    '--tenants <number>',
    'also this many tenants of 100 passages; 0 leaves this part out',
    wholeNumber(0, 10_000),
    1000,
  )
  .option(
    '--tools <number>',
    'also searches by a tool of the tool service, next to the same ones of the API, in this many passages; 0 leaves this part out',
    wholeNumber(0, MAX_PASSAGES),
    5000,
  )
  .option(
    '--facts <number>',
    'also facts of the memory daemon: stored next to bare inserts, listed among 10,000 and this many, and searched among at most 100,000; 0 leaves this part out',
    wholeNumber(0, 2_000_000),
    0,
  )
  .option('--profile', 'run the servers of --sizes under the profiler and print where the time goes', false)
  .option('--quick', 'a smoke run of less than a minute; its figures mean nothing', false)
  .option('--compare <reports...>', 'measure nothing: compare two reports of one benchmark, the second with the first')
  .addOption(jsonOption())
  .action(async ({ compare, ...options }: Options) => {
    if (compare) return void process.stdout.write(compareReports(compare));
    const used = options.quick ? { ...options, sizes: [500], seconds: 1, tenants: 5, tools: 500, facts: 500 } : options;
    const run = new BenchRun('main', used);
    const report = await measure(used);
    run.print(report, rowSeries(report.rows), describeReport);
  });

async function measure({
  sizes,
  data,
  seconds,
  processes,
  tenants,
  tools,
  facts,
  profile,
  quick,
}: Options): Promise<Report> {
  const source = data ? textFromFolder(resolve(data)) : syntheticText();
  const queries = Array.from({ length: quick ? FEW_QUERIES : QUERIES }, (_, i) => source.query(i));
  const bench: Bench = { source, queries, seconds, clients: quick ? [8] : [1, 8, 32], profile, rows: [], remarks: [] };
  say(`Text: ${source.description}`);
  for (const size of sizes) await benchSize(bench, size);
  if (processes > 1 && sizes[0]) await benchProcesses(bench, sizes[0], processes);
  if (tenants > 0) await benchTenants(bench, tenants, PASSAGES_A_TENANT);
  if (tools > 0) await benchTools(bench, tools);
  if (facts > 0) await benchFacts(bench, facts);
  if (facts > 0) await benchFactSearch(bench, Math.min(facts, MAX_SEARCHED_FACTS));
  const { rows, remarks } = bench;
  return {
    text: source.description,
    rows,
    growthOfP50: growthOf(rows),
    remarks,
  };
}

function growthOf(rows: readonly Measured[]): number | undefined {
  const light = rows.filter(({ what, clients }) => what === 'light' && clients === 8);
  const [first, last] = [light[0]?.p50, light.at(-1)?.p50];
  return light.length > 1 && first && last ? last / first : undefined;
}

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`bench: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
