import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withTemporaryServer, type TemporaryServer } from '../src/common/client/temporary-server.js';
import type { Lane } from '../src/common/client/api-replies.js';
import { monotonicMicroseconds, readProfiles, topSelfTimes, type Phase } from './cpu-profile.js';
import { withDatabase, type BenchDatabase } from './database.js';
import { measureBareInsert, measureIngest, measureSingleIngest, type TenantLoad } from './ingest-load.js';
import type { InProcessPlan, LoadResult } from './load.types.js';
import { longestPause } from './longest-pause.js';
import type { TextSource } from './passages.js';
import { ingestRow, loadRow, type Measured } from './speed-rows.js';
import {
  LIMIT,
  measureBareHttp,
  measureHttp,
  measureInProcess,
  measureTool,
  MAX_REQUESTS,
  requestAs,
  type HttpLoad,
} from './search-load.js';
import { describeDisk, describeMemory, measureRestarts, seesProcesses } from './size-costs.js';
import { figure, say, table } from './table.js';

export interface Bench {
  source: TextSource;
  /** Sent in turn. */
  queries: readonly string[];
  /** How long each measurement of retrieval lasts. */
  seconds: number;
  /** Requests in flight at once, one measurement each. */
  clients: readonly number[];
  /** Whether the server is run under the profiler. */
  profile: boolean;
  rows: Measured[];
  remarks: string[];
}

/** Clients at which the other lanes and the other set-ups are measured. */
const COMMON_CLIENTS = 8;
/** Between two measurements of a server that is warm. */
const SHORT_WARM_UP = 100;

interface Site {
  server: TemporaryServer;
  database: BenchDatabase;
  scale: string;
}

/** One tenant with this many passages: ingest, the lanes, and their limits for comparison. */
export async function benchSize(bench: Bench, passages: number): Promise<void> {
  const scale = figure(passages);
  const folder = bench.profile ? mkdtempSync(join(tmpdir(), 'svc-profile-')) : undefined;
  const phases: Phase[] = [];
  await onServer(folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [], {}, async (server, database) => {
    const site = { server, database, scale };
    await during(phases, `ingest of ${scale} passages`, () => benchIngest(bench, site, passages));
    await benchFirstQueries(bench, site);
    await during(phases, `retrieval from ${scale} passages, lane light`, () => benchLight(bench, site));
    await benchOtherLanes(bench, site);
    await benchSingleIngest(bench, site, passages);
    await benchCosts(bench, site);
  });
  if (!folder) return;
  bench.remarks.push(...phases.map((phase) => describeProfile(folder, phase)));
  rmSync(folder, { recursive: true });
}

/** Several processes on one database, behind one port. */
export async function benchProcesses(bench: Bench, passages: number, processes: number): Promise<void> {
  await onServer([], { SVC_API_PROCESSES: String(processes) }, async (server, database) => {
    const site = { server, database, scale: figure(passages) };
    const ingest = await measureIngest([{ address: server, from: 0, count: passages }], bench.source, database);
    bench.rows.push(ingestRow(site.scale, `ingest, ${processes} processes`, ingest));
    for (const clients of bench.clients.filter((count) => count >= COMMON_CLIENTS)) {
      const result = await measureHttp({
        ...loadOf(bench, site, 'light', clients),
        warmUpRequests: bench.queries.length * processes,
      });
      bench.rows.push(loadRow(site.scale, `light, ${processes} processes`, clients, result));
    }
  });
}

/** Many tenants with few passages each: what a tenant costs that comes by now and then. */
export async function benchTenants(bench: Bench, tenants: number, passagesEach: number): Promise<void> {
  await onServer([], {}, async (server, database) => {
    const site = { server, database, scale: `${figure(tenants)} x ${figure(passagesEach)}` };
    say(`Making ${figure(tenants)} tenants`);
    const addresses = await database.addTenants(tenants);
    const loads: TenantLoad[] = addresses.map((address, i) => ({
      address,
      from: i * passagesEach,
      count: passagesEach,
    }));
    bench.rows.push(
      ingestRow(site.scale, 'ingest, one batch a tenant', await measureIngest(loads, bench.source, database)),
    );
    // At least one query a tenant; the next request is always another tenant's.
    const { queries } = bench;
    const enough = Array.from({ length: Math.max(tenants, queries.length) }, (_, i) => queries[i % queries.length]!);
    const load = { ...loadOf(bench, site, 'light', COMMON_CLIENTS), addresses, queries: enough };
    const first = await measureHttp({ ...load, warmUpRequests: 0, maxRequests: enough.length, seconds: 600 });
    bench.rows.push(loadRow(site.scale, "light, each tenant's first query", COMMON_CLIENTS, first));
    bench.rows.push(loadRow(site.scale, 'light, tenants in turn', COMMON_CLIENTS, await measureHttp(load)));
  });
}

/** How often the two are measured in turn, so that what else the machine does weighs on both. */
const ROUNDS = 3;

/**
 * query_vault over POST /rpc of the tool service, with shield decision and rate window, next to the same search of the
 * API.
 */
export async function benchTools(bench: Bench, passages: number): Promise<void> {
  await onServer([], { SVC_TOOLS_RATE_LIMIT: '1000000000' }, async (server, database) => {
    const site = { server, database, scale: figure(passages) };
    say(`Ingesting ${site.scale} passages`);
    await measureIngest([{ address: server, from: 0, count: passages }], bench.source, database);
    for (const clients of bench.clients) {
      say(`query_vault and the same search of the API in turn, ${clients} clients`);
      const load = { ...loadOf(bench, site, 'light', clients), warmUpRequests: bench.queries.length };
      const [direct, tool]: [LoadResult[], LoadResult[]] = [[], []];
      for (let round = 0; round < ROUNDS; round += 1) {
        direct.push(await measureHttp(load));
        tool.push(await measureTool(load, server.toolsUrl));
      }
      const [directly, called] = [direct, tool].map(middleOf) as [LoadResult, LoadResult];
      bench.rows.push(loadRow(site.scale, 'light, next to the tool', clients, directly));
      const row = loadRow(site.scale, 'light, as query_vault by /rpc', clients, called);
      bench.rows.push({ ...row, ofDirect: called.p50 / directly.p50 });
    }
  });
}

/** The round whose p50 is the middle one; failures of all of them. */
function middleOf(rounds: LoadResult[]): LoadResult {
  const sorted = [...rounds].sort((a, b) => a.p50 - b.p50);
  return { ...sorted[Math.floor(sorted.length / 2)]!, failed: rounds.reduce((sum, { failed }) => sum + failed, 0) };
}

function onServer(
  nodeArguments: string[],
  environment: Record<string, string>,
  work: (server: TemporaryServer, database: BenchDatabase) => Promise<void>,
): Promise<void> {
  say('Starting a temporary server');
  return withTemporaryServer({ nodeArguments, environment }, (server) =>
    withDatabase(server, (database) => work(server, database)),
  );
}

function loadOf({ queries, seconds }: Bench, { server }: Site, lane: Lane, clients: number): HttpLoad {
  return {
    addresses: [server],
    queries,
    lane,
    clients,
    seconds,
    warmUpRequests: SHORT_WARM_UP,
    maxRequests: MAX_REQUESTS,
  };
}

async function during(phases: Phase[], name: string, work: () => Promise<void>): Promise<void> {
  const from = monotonicMicroseconds();
  await work();
  phases.push({ name, from, to: monotonicMicroseconds() });
}

async function benchIngest(
  { source, rows, remarks }: Bench,
  { server, database, scale }: Site,
  passages: number,
): Promise<void> {
  say(`Ingesting ${scale} passages`);
  const result = await measureIngest([{ address: server, from: 0, count: passages }], source, database);
  say(
    `Searchable at ${figure(result.perSecond)} passages a second; merging went on for ${figure(result.settleSeconds, 1)} s`,
  );
  const bare = await measureBareInsert(passages, source, database);
  rows.push(ingestRow(scale, 'ingest', result, bare));
  rows.push({ scale, what: 'limit: bare insert of the same rows', clients: 2, perSecond: bare });
  remarks.push(
    `Ingest of ${scale}: all accepted at ${figure(result.acceptedPerSecond)} a second; merges of the index ended ${figure(result.settleSeconds, 1)} s after the last passage was searchable.`,
  );
}

/** Every query once, on a server that has answered none: it reads the postings of their words from the database. */
async function benchFirstQueries(bench: Bench, site: Site): Promise<void> {
  say('Lane light, nothing in memory yet');
  const load = loadOf(bench, site, 'light', COMMON_CLIENTS);
  const first = await measureHttp({ ...load, warmUpRequests: 0, maxRequests: bench.queries.length, seconds: 60 });
  bench.rows.push(loadRow(site.scale, 'light, first time asked', COMMON_CLIENTS, first));
}

/**
 * The light lane, each time followed by its limits, so that other load of the machine weighs on both alike. The limits
 * run next to the server, which is then idle.
 */
async function benchLight(bench: Bench, site: Site): Promise<void> {
  const { rows } = bench;
  const { server, scale } = site;
  for (const clients of bench.clients) {
    say(`Lane light and its limits, ${clients} clients`);
    const load = loadOf(bench, site, 'light', clients);
    const light = loadRow(scale, 'light', clients, await measureWithPauses(bench, site, load));
    const bare = await measureBareHttp(load);
    const inProcess = await measureInProcess(server.dataDir, planOf(bench, site, 'service', clients));
    light.ofInProcess = light.perSecond / inProcess.perSecond;
    light.ofBare = light.perSecond / bare.perSecond;
    rows.push(light);
    rows.push(loadRow(scale, 'limit: same search in process', clients, inProcess));
    rows.push(loadRow(scale, 'limit: bare Fastify, same JSON', clients, bare));
  }
  const engine = await measureInProcess(server.dataDir, planOf(bench, site, 'engine', 1));
  rows.push(loadRow(scale, 'limit: ranking alone, no texts', 1, engine));
}

async function benchOtherLanes(bench: Bench, site: Site): Promise<void> {
  for (const lane of ['verified', 'audit'] as const) {
    say(`Lane ${lane}, ${COMMON_CLIENTS} clients`);
    const result = await measureWithPauses(bench, site, loadOf(bench, site, lane, COMMON_CLIENTS));
    bench.rows.push(loadRow(site.scale, lane, COMMON_CLIENTS, result));
  }
}

/** With a remark on how long the event loop of the API was kept at most. */
async function measureWithPauses({ remarks }: Bench, { server, scale }: Site, load: HttpLoad): Promise<LoadResult> {
  await longestPause(server);
  const result = await measureHttp(load);
  const pause = figure(await longestPause(server), 1);
  remarks.push(`Longest pause of the API, ${scale}, ${load.lane}, ${load.clients} clients: ${pause} ms.`);
  return result;
}

/** At most as many requests as a measurement can make. */
const SINGLE_DOCUMENTS = 5_000;

/** One document a request, while those before it are brought into search. */
async function benchSingleIngest({ source, seconds, rows }: Bench, site: Site, passages: number): Promise<void> {
  say(`Documents one by one, ${COMMON_CLIENTS} clients`);
  const load = { address: site.server, from: passages, count: SINGLE_DOCUMENTS };
  const result = await measureSingleIngest(load, source, { clients: COMMON_CLIENTS, seconds });
  rows.push(loadRow(site.scale, 'ingest, one document a request', COMMON_CLIENTS, result));
}

/** What the passages take, and how long the first answer takes once the API starts again. */
async function benchCosts({ queries, rows, remarks }: Bench, { server, database, scale }: Site): Promise<void> {
  remarks.push(await describeDisk(scale, database));
  if (!seesProcesses()) return;
  remarks.push(describeMemory(scale, server));
  const requests = queries.map((query) => requestAs(server, { query, limit: LIMIT, lane: 'light' }));
  rows.push(await measureRestarts(scale, server, requests));
}

/** Its process starts with nothing in memory: the warm-up asks every query once. */
function planOf(
  { queries, seconds }: Bench,
  { server }: Site,
  depth: InProcessPlan['depth'],
  clients: number,
): InProcessPlan {
  const loop = { clients, seconds, warmUpRequests: queries.length, maxRequests: MAX_REQUESTS };
  return { depth, tenantId: server.tenantId, queries, limit: LIMIT, lane: 'light', ...loop };
}

function describeProfile(folder: string, phase: Phase): string {
  const top = topSelfTimes(readProfiles(folder), phase, 15);
  const rows = top.map(({ place, share, milliseconds }) => [
    place,
    `${figure(share * 100, 1)} %`,
    figure(milliseconds),
  ]);
  return `\nProcessor time during ${phase.name}, by function (self time, all threads of the server):\n\n${table(['function', 'share', 'ms'], rows)}`;
}
