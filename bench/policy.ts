#!/usr/bin/env node
import { Command } from 'commander';
import type { ApiAddress } from '../src/common/client/api-client.js';
import { withTemporaryServer } from '../src/common/client/temporary-server.js';
import { BenchRun, jsonOption, type JsonOption } from './bench-run.js';
import { type BenchDatabase, withDatabase } from './database.js';
import { toMicroseconds } from './measures.js';
import { milliseconds, seconds } from './report.js';
import { wholeNumber } from '../src/cli/whole-number.js';
import { figure, say } from './table.js';

/** Acceptance: 100,000 decisions within so many seconds, with the flips of a real run. */
const MAX_SECONDS = 10;
const COPIES_A_STATEMENT = 10_000;

interface Options extends JsonOption {
  decisions: number;
}

interface Call {
  path: string;
  body: object;
  headers: Record<string, string>;
}

/** `npm run bench:policy`: replays decisions under another policy, and sets that policy to see what really flips. */
const program = new Command('bench:policy')
  .description('replay shield decisions under a proposed policy, and hold the flips against a real run under it')
  .option('--decisions <number>', 'how many are replayed', wholeNumber(1000, 100_000), 100_000)
  .addOption(jsonOption())
  .action(async (options: Options) => {
    const run = new BenchRun('policy', options);
    const found = await bench(options.decisions);
    run.print(found, [
      seconds('replay', [found.seconds]),
      seconds('first replay of a process', [found.firstSeconds]),
      milliseconds('health during the replay', found.health.samples),
    ]);
    if (found.seconds > MAX_SECONDS) say(`It took ${figure(found.seconds, 1)} s, more than ${MAX_SECONDS}`);
    if (!found.equal) say('The flips are not those of the real run');
    if (found.seconds > MAX_SECONDS || !found.equal) process.exitCode = 1;
  });

const PROPOSED = { require_registered: true, require_tool_digest: true };
const REAL = { requireRegistered: true, requireToolDigest: true, reason: 'bench' };

async function bench(decisions: number) {
  const environment = { SVCD_ENABLED_PRO_SERVICES: 'policy:simulate', SVCD_RATE_LIMIT_RPS: '0' };
  return withTemporaryServer({ environment }, (server) =>
    withDatabase(server, async (database) => {
      const [tenant] = await database.addTenants(1);
      await register(tenant!);
      const calls = makeCalls();
      say(`Making ${figure(calls.length)} calls, and ${figure(decisions)} decisions of theirs`);
      const was = await runAll(tenant!, calls);
      const ids = await idsOfRun(database, tenant!.tenantId);
      const copies = await copy(database, tenant!.tenantId, { ids, decisions });
      // The first simulation of a process loads the declarations of all apps.
      const { took: firstSeconds } = await simulate(server.daemonUrl, tenant!.tenantId, 1);
      say('Replaying');
      const { took, answer, health } = await simulate(server.daemonUrl, tenant!.tenantId, decisions);
      say('Setting the policy, and making the calls again');
      await post(tenant!, { path: '/v1/shield/policy', body: REAL, headers: {} }, 'PUT');
      const now = await runAll(tenant!, calls);
      const flips = calls.reduce(
        (sum, _, place) => sum + (was[place] === now[place] ? 0 : copies.get(ids[place]!)!),
        0,
      );
      return {
        ...{ decisions, seconds: took, perSecond: Math.round(decisions / took), firstSeconds },
        ...{ slowestHealthMs: Math.round(Math.max(0, ...health)), health: { samples: health } },
        ...{ replayed: answer.replayed, flips: answer.flips_total, realFlips: flips },
        equal: answer.flips_total === flips && answer.replayed === decisions,
      };
    }),
  );
}

/** Names of which some are registered. */
async function register(tenant: ApiAddress): Promise<void> {
  const reason = 'bench';
  await post(tenant, {
    path: '/v1/shield/trust/publishers',
    body: { publisherId: 'p', name: 'p', reason },
    headers: {},
  });
  for (let n = 0; n < 10; n += 2)
    await post(tenant, {
      path: '/v1/shield/servers',
      body: { serverId: serverOf(n), publisherId: 'p', reason },
      headers: {},
    });
}

const serverOf = (n: number): string => `server-${n}`;
const digestOf = (n: number): string => `sha256:${n.toString(16).padStart(64, '0')}`;

function makeCalls(): Call[] {
  return Array.from({ length: 200 }, (_, n) => ({
    path: '/v1/feedback/requests',
    body: { title: `Request ${n}`, body: 'of the benchmark' },
    headers: {
      ...(n % 3 === 0 ? {} : { 'x-shield-server-id': serverOf(n % 10) }),
      ...(n % 4 === 0 ? {} : { 'x-shield-tool-digest': digestOf(n % 7) }),
    },
  }));
}

async function post({ url, tenantId, apiKey }: ApiAddress, { path, body, headers }: Call, method = 'POST') {
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...{ 'content-type': 'application/json', 'x-tenant-id': tenantId, 'x-api-key': apiKey },
      ...{ 'x-idempotency-key': crypto.randomUUID(), ...headers },
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as { type?: string } };
}

/** One after the other, so that their decisions come in this order. */
async function runAll(tenant: ApiAddress, calls: readonly Call[]): Promise<string[]> {
  const outcomes: string[] = [];
  for (const call of calls) {
    const { status, body } = await post(tenant, call);
    if (status >= 300 && body.type !== 'ShieldDenied') throw new Error(`${call.path} answered ${status} ${body.type}`);
    outcomes.push(status < 300 ? 'allow' : 'deny');
  }
  return outcomes;
}

async function idsOfRun(database: BenchDatabase, tenantId: string): Promise<string[]> {
  const rows = await database.query<{ decision_id: string }>(
    `select decision_id from shield_decision where tenant_id = $1 and action = 'POST /v1/feedback/requests' order by decision_id`,
    [tenantId],
  );
  return rows.map(({ decision_id }) => decision_id);
}

/** Copies of recorded decisions, newer than they are. @returns how many of each */
async function copy(
  database: BenchDatabase,
  tenantId: string,
  { ids, decisions }: { ids: readonly string[]; decisions: number },
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map(ids.map((id) => [id, 0]));
  for (let from = 0; from < decisions; from += COPIES_A_STATEMENT) {
    const chosen = Array.from({ length: Math.min(COPIES_A_STATEMENT, decisions - from) }, (_, n) => {
      const id = ids[((from + n) * 7919) % ids.length]!;
      counts.set(id, counts.get(id)! + 1);
      return id;
    });
    await database.query(
      `insert into shield_decision (tenant_id, decision_id, principal, auth_type, action, server_id, tool_digest, arguments_digest, outcome, rule, denial_type,
         reason, policy_version, sampled_by)
       select d.tenant_id, uuidv7(interval '1 hour'), d.principal, d.auth_type, d.action, d.server_id, d.tool_digest, d.arguments_digest, d.outcome, d.rule,
         d.denial_type, d.reason, d.policy_version, d.sampled_by
       from unnest($2::uuid[]) c (id) join shield_decision d on d.tenant_id = $1 and d.decision_id = c.id`,
      [tenantId, chosen],
    );
  }
  return counts;
}

/** With the milliseconds of each answer of /healthz meanwhile. */
async function simulate(daemonUrl: string, tenantId: string, last: number) {
  let isOver = false;
  const watch = watchHealth(daemonUrl, () => isOver);
  const began = performance.now();
  const sent = await fetch(`${daemonUrl}/v1/workbench/policy-simulation`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-svc-scopes': 'admin:read', 'x-svc-tenant-id': tenantId },
    body: JSON.stringify({ policy: PROPOSED, last, limit: 0 }),
  });
  const answer = (await sent.json()) as { replayed: number; flips_total: number; detail?: string };
  const took = (performance.now() - began) / 1000;
  isOver = true;
  if (!sent.ok) throw new Error(`The simulation answered ${sent.status}: ${answer.detail}`);
  return { took, answer, health: await watch };
}

async function watchHealth(daemonUrl: string, isOver: () => boolean): Promise<number[]> {
  const took: number[] = [];
  while (!isOver()) {
    const began = performance.now();
    await (await fetch(`${daemonUrl}/healthz`)).text();
    took.push(toMicroseconds(performance.now() - began));
  }
  return took;
}

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`bench:policy: ${(error as Error).stack}\n`);
  process.exitCode = 1;
}
