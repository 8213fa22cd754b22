import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { withTemporaryServer, type TemporaryServer } from '../src/common/client/temporary-server.js';
import { childEnvironment } from '../src/common/config/child-environment.js';
import type { Exchanged } from '../src/modules/memory/sync-exchange/exchange.types.js';
import { runChild } from './child.js';
import { CuttingProxy } from './cutting-proxy.js';
import { withDatabase, type BenchDatabase } from './database.js';
import { killAndHeal } from './killing.js';
import { seededRandom, type Random } from './random.js';
import type { Measured, SyncPlan } from './sync-work.types.js';
import { figure, say } from './table.js';

const PROGRAM = fileURLToPath(new URL('../src/main.js', import.meta.url));
const EVERY = { SVCD_SYNC_EVERY: '1s' };
const SETTINGS = {
  ...{ SVCD_SYNC_MUTUAL_AUTH: '1', SVCD_RATE_LIMIT_RPS: '0', SVCD_DATA_DIR_MIN_FREE_RATIO: '0' },
  ...{ SVC_LOG_LEVEL: 'info' },
};
/** Of the records as many are where the exchange is asked for; the others are on the other side. */
const SHARE_HERE = 0.2;
/** That both sides write, each otherwise. */
const DISPUTED = 20;
const BYTES_A_RECORD = 800;
const LOOK_MS = 50;
const MAX_REQUESTS = 2;
/** Without anything new on either side. */
const STUCK_MS = 300_000;

export interface TrialPlan {
  records: number;
  kills: number;
  cuts: number;
  seed: number;
}

export interface TrialResult {
  seed: number;
  records: number;
  reading: Measured;
  confirm: Measured;
  /** From the first exchange to equal roots, with kills and cuts. */
  seconds: number;
  kills: { here: number; there: number; beforeAllWasThere: number };
  cuts: number;
  /** Of the second sync of equal stores, nonces included. */
  requestsWhenEqual: number;
  collections: Exchanged['collections'];
  faults: string[];
}

interface Site {
  server: TemporaryServer;
  database: BenchDatabase;
  name: string;
}

/** Two daemons with databases of their own, brought to the same through kills and cuts. */
export function trySync(plan: TrialPlan): Promise<TrialResult> {
  return withSite('there', SETTINGS, (there) =>
    withSite('here', { ...SETTINGS, ...EVERY }, (here) => bring(here, there, plan)),
  );
}

const withSite = <T>(name: string, environment: Record<string, string>, work: (site: Site) => Promise<T>): Promise<T> =>
  withTemporaryServer({ environment }, (server) =>
    withDatabase(server, (database) => work({ server, database, name })),
  );

async function bring(here: Site, there: Site, plan: TrialPlan): Promise<TrialResult> {
  const random = seededRandom(plan.seed);
  const few = Math.floor(plan.records * SHARE_HERE);
  const many = plan.records - few - 2 * DISPUTED;
  say(`Making ${figure(plan.records)} records (seed ${plan.seed})`);
  const confirm = await measure(there, { kind: 'fill', tenantId: tenantOf(there), writer: 'there', records: many });
  await measure(here, { kind: 'fill', tenantId: tenantOf(here), writer: 'here', records: few });
  for (const site of [here, there]) for (let n = 0; n < DISPUTED; n += 1) await dispute(site, n);
  const still = await CuttingProxy.start(here.server.daemonUrl);
  const bytes = (plan.records * BYTES_A_RECORD) / Math.max(1, plan.cuts);
  const network = await CuttingProxy.start(there.server.daemonUrl, { random, cuts: plan.cuts, bytes });
  try {
    await add(there, here, still.url);
    const reading = await measure(here, {
      ...{ kind: 'read', tenantId: tenantOf(there), peerId: there.name, url: there.server.daemonUrl },
      publicKey: await keyOf(there),
    });
    const before = reading.records + few + DISPUTED;
    say('Exchanging, with kills and cuts');
    const startedAt = performance.now();
    await add(here, there, network.url);
    const kills = await killAtRandom([here, there], plan, random);
    await untilEqual([here, there]);
    const seconds = (performance.now() - startedAt) / 1000;
    const { exchanged, requests } = await exchangeEqual(there, here, still);
    const { collections } = exchanged;
    return {
      ...{ seed: plan.seed, records: plan.records, reading, confirm, seconds, kills, cuts: network.cuts },
      ...{ requestsWhenEqual: requests, collections, faults: faultsOf(exchanged, requests, before) },
    };
  } finally {
    await Promise.all([still.stop(), network.stop()]);
  }
}

const tenantOf = ({ server }: Site): string => server.tenantId;

/** As the command line of its machine works. */
const environmentOf = ({ server }: Site): Record<string, string> => ({
  ...SETTINGS,
  ...{ SVC_DATA_DIR: server.dataDir, SVC_SIGNING_KEY_FILE: '', SVCD_AUTH_MODE: 'dev_scopes', SVC_LOG_LEVEL: 'error' },
});

const measure = (site: Site, plan: SyncPlan): Promise<Measured> =>
  runChild<SyncPlan, Measured>('sync-work', plan, environmentOf(site));

async function dispute({ server, name }: Site, number: number): Promise<void> {
  const response = await fetch(`${server.daemonUrl}/v1/facts`, {
    method: 'PUT',
    headers: {
      ...{ 'x-svc-scopes': 'facts:write', 'x-svc-tenant-id': server.tenantId, 'content-type': 'application/json' },
    },
    body: JSON.stringify({ entity: 'disputed:bench', key: `fact ${number}`, value: `of ${name}` }),
  });
  if (!response.ok) throw new Error(`PUT /v1/facts answered ${response.status}: ${await response.text()}`);
}

async function svc<T>(site: Site, ...args: string[]): Promise<T> {
  const child = spawn(process.execPath, [PROGRAM, ...args, '--json'], {
    env: childEnvironment(environmentOf(site)),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [answer, said] = await Promise.all([text(child.stdout), text(child.stderr)]);
  try {
    return JSON.parse(answer) as T;
  } catch {
    throw new Error(`svc ${args.join(' ')} answered ${answer} ${said}`);
  }
}

async function add(to: Site, peer: Site, url: string): Promise<void> {
  const key = await keyOf(peer);
  const rights = ['--tenant', tenantOf(to), '--direction', 'both', '--prefix', '*'];
  await svc(to, 'peer', 'add', peer.name, ...rights, '--key', key, '--url', url);
}

const keyOf = async (site: Site): Promise<string> =>
  (await svc<{ public_key: string }>(site, 'peer', 'key')).public_key;

/** Each when another random share is there, and some moments later; those that are left over at the end. */
async function killAtRandom(
  [here, there]: [Site, Site],
  { kills, records }: TrialPlan,
  random: Random,
): Promise<TrialResult['kills']> {
  const shares = Array.from({ length: kills }, random).sort((a, b) => a - b);
  const killed = { here: 0, there: 0, beforeAllWasThere: 0 };
  const start = await positionsOf([here, there]);
  for (const share of shares) {
    const due = start + share * records;
    await moving([here, there], (position) => position >= due);
    await sleep(random() * 1000);
    const isBefore = (await positionsOf([here, there])) < start + records;
    const victim = random() < 0.5 ? here : there;
    await killAndHeal(victim.server, 'daemon');
    killed[victim === here ? 'here' : 'there'] += 1;
    if (isBefore) killed.beforeAllWasThere += 1;
    say(`The daemon ${victim.name} was killed and is back, at ${Math.round(share * 100)} % of the records`);
  }
  return killed;
}

/** How many changes both indexes have had: each record that crosses is one. */
async function positionsOf(sites: readonly Site[]): Promise<number> {
  const rows = await Promise.all(
    sites.map(({ database }) => database.query<{ position: string }>('select position from sync_tenant', [])),
  );
  return rows.flat().reduce((sum, { position }) => sum + Number(position), 0);
}

/** @throws Error where nothing moves any more and it does not hold */
async function moving(sites: readonly Site[], holds: (position: number) => boolean | Promise<boolean>): Promise<void> {
  let last = -1;
  for (let since = performance.now(); ; await sleep(LOOK_MS)) {
    const position = await positionsOf(sites);
    if (await holds(position)) return;
    if (position !== last) since = performance.now();
    if (performance.now() - since > STUCK_MS)
      throw new Error(`nothing was exchanged for ${STUCK_MS} ms, at ${position}`);
    last = position;
  }
}

/** Until the last exchange either way found the same on both sides. */
const untilEqual = ([here, there]: [Site, Site]): Promise<void> =>
  moving([here, there], async () => {
    const rows = await here.database.query<{ state: string }>('select state from sync_exchange', []);
    return rows.length === 2 && rows.every(({ state }) => state === 'equal');
  });

/** The other way round, over a network of its own, and once more. */
async function exchangeEqual(by: Site, peer: Site, network: CuttingProxy) {
  const pull = () => svc<Exchanged>(by, 'sync', 'pull', peer.name, '--tenant', tenantOf(by));
  await pull();
  const before = network.requests;
  const exchanged = await pull();
  return { exchanged, requests: network.requests - before };
}

function faultsOf({ state, collections }: Exchanged, requests: number, records: number): string[] {
  const sum = collections.reduce((all, { source_count }) => all + source_count, 0);
  const unequal = collections.filter(({ source_root, target_root }) => source_root !== target_root);
  return [
    ...(state === 'equal' ? [] : [`the second sync ended ${state}`]),
    ...unequal.map(({ collection }) => `the roots of ${collection} differ`),
    ...collections.filter(({ source_count }) => source_count === 0).map(({ collection }) => `${collection} is empty`),
    ...(sum === records ? [] : [`${records} versions were made, and ${sum} are there`]),
    ...(requests <= MAX_REQUESTS ? [] : [`a sync of equal stores took ${requests} requests`]),
  ];
}
