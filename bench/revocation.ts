#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { freePort, withTemporaryServer, type TemporaryServer } from '../src/common/client/temporary-server.js';
import { childEnvironment } from '../src/common/config/child-environment.js';
import { BenchRun, jsonOption, type JsonOption } from './bench-run.js';
import { withDatabase } from './database.js';
import { quantile } from './measures.js';
import { milliseconds } from './report.js';
import { wholeNumber } from '../src/cli/whole-number.js';
import { say } from './table.js';

/** Acceptance: what a revoked passport has ends within so many milliseconds, in every process. */
const MAX_MS = 1000;
const SCOPES = 'admin:read admin:write facts:read facts:write sessions:read query:read';
/** How long something may take before it counts as not ended at all. */
const TIMEOUT_MS = 30_000;
const PROGRAM = fileURLToPath(new URL('../src/main.js', import.meta.url));

interface Options extends JsonOption {
  rounds: number;
}

/** `npm run bench:revocation`: how long what a passport has outlives its revocation, over one database. */
const program = new Command('bench:revocation')
  .description('revoke passports at one server, and measure when their requests, streams, leases and gates end at both')
  .option('--rounds <number>', 'how many passports are revoked', wholeNumber(1, 1000), 50)
  .addOption(jsonOption())
  .action(async (options: Options) => {
    const run = new BenchRun('revocation', options);
    const measured = await bench(options.rounds);
    const ended = Object.fromEntries([...measured].map(([what, times]) => [what, summaryOf(times)]));
    const series = [...measured].map(([what, times]) => milliseconds(what, times));
    run.print({ untilEnded: ended }, series);
    const late = Object.entries(ended).filter(([, { max }]) => max > MAX_MS);
    for (const [what, { max }] of late) say(`${what}: ${max} ms, more than ${MAX_MS}`);
    if (late.length > 0) process.exitCode = 1;
  });

/** Milliseconds. */
const summaryOf = (times: number[]) => {
  const sorted = times.map((time) => Math.round(time)).sort((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), max: sorted.at(-1)! };
};

type Measured = Map<string, number[]>;

function bench(rounds: number): Promise<Measured> {
  return withTemporaryServer({ environment: ENVIRONMENT }, (server) =>
    withDatabase(server, ({ ownerUrl }) =>
      withSecondDaemon(server, ownerUrl, async (there) => {
        const measured: Measured = new Map();
        for (let round = 0; round < rounds; round++)
          await revokeOne(`agent-${round}`, { here: server.daemonUrl, there }, measured);
        return measured;
      }),
    ),
  );
}

const ENVIRONMENT = { SVCD_RATE_LIMIT_RPS: '0', SVCD_PUNCHCARD: 'enforce', SVCD_AUTH_MODE: 'dev_scopes' };

/** A daemon of another machine, as far as the database knows. */
async function withSecondDaemon<T>(
  { dataDir }: TemporaryServer,
  ownerUrl: string,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const child = spawn(process.execPath, [PROGRAM, 'start', 'daemon'], {
    env: childEnvironment({
      ...{ ...ENVIRONMENT, SVC_DATABASE_URL: ownerUrl, SVC_DATA_DIR: join(dataDir, 'second'), SVC_LOG_LEVEL: 'warn' },
      ...{ SVCD_HTTP_PORT: String(port), SVCD_MCP_PORT: '0', SVCD_GRPC_PORT: '0' },
      SVC_SIGNING_KEY_FILE: join(dataDir, 'keys', 'signing-key.pem'),
    }),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    const url = `http://127.0.0.1:${port}`;
    await once(() =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    return await work(url);
  } finally {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    if (child.kill('SIGTERM')) await gone;
  }
}

/** Gives a passport a lease, a gate and a stream at each server, revokes it at one, and notes when each is over. */
async function revokeOne(
  passport: string,
  { here, there }: { here: string; there: string },
  measured: Measured,
): Promise<void> {
  const [lead, leadThere] = [actor(here, 'lead'), actor(there, 'lead')];
  const [agent, agentThere] = [actor(here, passport), actor(there, passport)];
  await must(lead('POST', '/v1/passports', { passport_id: passport }));
  const lease = { resource: `src/${passport}`, mode: 'write' };
  await must(agentThere('POST', '/v1/punchcards/acquire', lease));
  const gate = await openGate(agentThere, passport);
  const streams = [await openStream(here, passport), await openStream(there, passport)];

  await must(lead('DELETE', `/v1/passports/${passport}`));
  const revokedAt = performance.now();
  const note = async (what: string, over: Promise<number>): Promise<void> => {
    measured.set(what, [...(measured.get(what) ?? []), Math.max(0, (await over) - revokedAt)]);
  };
  const isRefused = async (call: Call): Promise<boolean> => (await call('GET', '/v1/work')).status === 403;
  const isLapsed = async (): Promise<boolean> =>
    (await must<{ status: string }>(leadThere('GET', `/v1/work/gate/${gate}/state`))).status === 'lapsed';
  await Promise.all([
    note(
      'requests, same server',
      once(() => isRefused(agent)),
    ),
    note(
      'requests, other server',
      once(() => isRefused(agentThere)),
    ),
    note(
      'lease, for another',
      once(async () => (await leadThere('POST', '/v1/punchcards/acquire', lease)).ok),
    ),
    note('gate, other server', once(isLapsed)),
    note('stream, same server', streams[0]!.over),
    note('stream, other server', streams[1]!.over),
  ]);
}

type Call = (method: string, path: string, body?: object) => Promise<Response>;

const headersOf = (passport: string) => ({
  ...{ 'x-svc-scopes': SCOPES, 'x-svc-tenant-id': 'default', 'x-svc-passport-id': passport },
});

const actor =
  (daemonUrl: string, passport: string): Call =>
  (method, path, body) =>
    fetch(daemonUrl + path, {
      method,
      headers: { ...headersOf(passport), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });

async function must<Body>(answer: Promise<Response>): Promise<Body> {
  const response = await answer;
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Body;
}

/** @returns the gate at which an item of the passport waits */
async function openGate(call: Call, passport: string): Promise<string> {
  const named = { project_id: 'bench', created_by_passport: passport, assignee_passport: passport };
  const item = await must<{ id: string }>(call('POST', '/v1/work', { ...named, title: 'T', state: 'in_review' }));
  const change = { by_passport: passport, state: 'done' };
  const { queued } = await must<{ queued: { action_id: string }[] }>(call('PATCH', `/v1/work/${item.id}`, change));
  return queued[0]!.action_id;
}

/** @returns once it is open, with the time at which the server will have ended it */
async function openStream(daemonUrl: string, passport: string): Promise<{ over: Promise<number> }> {
  const response = await fetch(`${daemonUrl}/v1/events/stream`, { headers: headersOf(passport) });
  if (!response.ok) throw new Error(`The stream answered ${response.status}`);
  return { over: response.text().then(() => performance.now()) };
}

/** @returns the time at which it was first seen so */
async function once(isSo: () => Promise<boolean>): Promise<number> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`It was not so within ${TIMEOUT_MS / 1000} s`);
    await wait(1);
  }
  return performance.now();
}

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`bench:revocation: ${(error as Error).stack}\n`);
  process.exitCode = 1;
}
