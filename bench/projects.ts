#!/usr/bin/env node
import { Command } from 'commander';
import { withTemporaryServer } from '../src/common/client/temporary-server.js';
import { encodeCursor } from '../src/common/fields/cursor.js';
import { BenchRun, jsonOption, type JsonOption } from './bench-run.js';
import { runChild } from './child.js';
import { type BenchDatabase, withDatabase } from './database.js';
import type { FactsPlan } from './facts-load.types.js';
import type { LoadResult } from './load.types.js';
import { loadSeries } from './report.js';
import { wholeNumber } from '../src/cli/whole-number.js';
import { figure, say } from './table.js';

const FEW = 100;
/** What the p99 of a list may be among many projects, as a multiple of that among few. */
const MAX_TIMES = 3;
const LAYERS_A_PROJECT = 5;
const VERSIONS_A_LAYER = 2;
const FACTS_A_STATEMENT = 5_000;
const WARM_UP = 100;

interface Options extends JsonOption {
  projects: number;
  seconds: number;
}

/** `npm run bench:projects`: lists of projects and layers among few and among many, on a temporary server. */
const program = new Command('bench:projects')
  .description('make projects with layers in two tenants, few and many, and measure their lists')
  .option(
    '--projects <number>',
    'of the large tenant, each with 10 versions of layers',
    wholeNumber(FEW, 100_000),
    10_000,
  )
  .option('--seconds <number>', 'how long each measurement lasts', wholeNumber(1, 60), 5)
  .addOption(jsonOption())
  .action(async (options: Options) => {
    const run = new BenchRun('projects', options);
    const lists = await benchLists(options);
    const series = Object.entries(lists).flatMap(([what, { few, many }]) => [
      ...loadSeries(`${what}, few projects`, few),
      ...loadSeries(`${what}, many projects`, many),
    ]);
    run.print({ lists }, series);
    const late = Object.entries(lists).filter(([, { times }]) => times > MAX_TIMES);
    for (const [what, { times }] of late) say(`${what}: p99 is ${figure(times, 1)} times that of ${FEW} projects`);
    if (late.length > 0) process.exitCode = 1;
  });

async function benchLists({ projects, seconds }: Options) {
  const sizes = { few: FEW, many: projects };
  return withTemporaryServer({ environment: { SVCD_RATE_LIMIT_RPS: '0' } }, (server) =>
    withDatabase(server, async (database) => {
      await database.addTenants(2);
      const tenants = { few: 'bench-0', many: 'bench-1' };
      for (const size of ['few', 'many'] as const) await fill(database, tenants[size], sizes[size]);
      await database.asOwner('analyze project; analyze fact; analyze fact_head');
      const lists: Record<string, { few: LoadResult; many: LoadResult; times: number }> = {};
      for (const [what, pathOf] of Object.entries(LISTS)) {
        const measure = (size: 'few' | 'many'): Promise<LoadResult> => {
          say(`${what}, ${figure(sizes[size])} projects`);
          const urls = Array.from(
            { length: 50 },
            (_, n) => server.daemonUrl + pathOf(nameOf((n * 7919) % sizes[size])),
          );
          const loop = { clients: 1, warmUpRequests: WARM_UP, seconds, maxRequests: 1_000_000 };
          const plan: FactsPlan = { ...loop, kind: 'get', urls, scopes: 'admin:read', tenantId: tenants[size] };
          return runChild<FactsPlan, LoadResult>('facts-load', plan);
        };
        const [few, many] = [await measure('few'), await measure('many')];
        lists[what] = { few, many, times: many.p99 / few.p99 };
      }
      return lists;
    }),
  );
}

const nameOf = (number: number): string => `p-${String(number).padStart(6, '0')}`;

const LISTS: Record<string, (project: string) => string> = {
  'first page of projects': () => '/v1/projects',
  'a page of projects': (project) => `/v1/projects?cursor=${encodeCursor([project])}`,
  'layers of a project': (project) => `/v1/projects/${project}/layers`,
  'versions of a layer': (project) => `/v1/projects/${project}/layers/layer-0/versions`,
  'layers that hold': (project) => `/v1/projects/${project}/layers/effective`,
};

/** Past the routes: a hundred thousand signed writes would take longer than what is measured. */
async function fill(database: BenchDatabase, tenantId: string, projects: number): Promise<void> {
  say(`Making ${figure(projects)} projects with ${figure(projects * LAYERS_A_PROJECT * VERSIONS_A_LAYER)} versions`);
  await database.query(
    `insert into project (tenant_id, project_id, name, default_passport_id, created_by, is_default)
     select $1, 'p-' || lpad(n::text, 6, '0'), 'Project ' || n, 'bench', 'bench', n = 0 from generate_series(0, $2::int - 1) n`,
    [tenantId, projects],
  );
  for (let version = 0; version < VERSIONS_A_LAYER; version++)
    for (let from = 0; from < projects * LAYERS_A_PROJECT; from += FACTS_A_STATEMENT) {
      const count = Math.min(FACTS_A_STATEMENT, projects * LAYERS_A_PROJECT - from);
      const round = Array.from({ length: count }, (_, at) => draftOf(from + at, version));
      await database.query('select count(*) from svc_store_facts($1, $2)', [tenantId, JSON.stringify([round])]);
    }
}

const draftOf = (number: number, version: number) => ({
  ...{ fact_id: crypto.randomUUID(), owner: 'layers', visibility: 2, actor: 'bench', confidence: 1, tokens: 20 },
  entity: `layer:${nameOf(Math.floor(number / LAYERS_A_PROJECT))}`,
  key: `layer-${number % LAYERS_A_PROJECT}`,
  value: `Layer ${number} in version ${version}: say what you changed and why, and how it was tested.`,
  horizon_class: 'permanent',
});

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`bench:projects: ${(error as Error).stack}\n`);
  process.exitCode = 1;
}
