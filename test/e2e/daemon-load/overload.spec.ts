import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { ServerProcess } from '../../kit/server-process.js';
import { flood, hold } from './flood.js';

const SCOPES = 'x-svc-scopes: facts:read,facts:write,query:read,admin:read';
const VERSION = 'GET /v1/version HTTP/1.1\r\nhost: localhost\r\n\r\n';
const FACT = JSON.stringify({ entity: 'load', key: 'k', value: 'v' });
const SLOW_FACT = `PUT /v1/facts HTTP/1.1\r\nhost: localhost\r\n${SCOPES}\r\ncontent-type: application/json\r\ncontent-length: ${FACT.length}\r\n\r\n`;

let database: TestDatabase;
let dataDir: string;
let daemon: ServerProcess;
let port: number;
beforeAll(async () => {
  database = await freshDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'svc-overload-'));
  // A third of the usual rate, so that a machine with other work to do is past it too.
  const rate = { SVCD_RATE_LIMIT_RPS: '100', SVCD_RATE_LIMIT_BURST: '200', SVCD_RATE_LIMIT_EXEMPT_CIDRS: '' };
  const env = { NODE_ENV: 'development', SVC_LOG_LEVEL: 'info', ...rate };
  daemon = await ServerProcess.at(database.url, dataDir, env, 'daemon');
  await daemon.start();
  port = Number(new URL(daemon.url).port);
});
afterAll(async () => {
  await daemon.stop('SIGTERM');
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const memory = (what: 'VmHWM' | 'VmRSS'): number =>
  Math.round(
    Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${daemon.pid}/status`, 'utf8'))![1]) / 1024,
  );
const inFlight = async (): Promise<number> =>
  Number(/^svc_inflight_requests (\d+)/m.exec((await send(daemon.url, 'GET', '/metrics')).text)?.[1]);

interface Health {
  statuses: number[];
  slowestMs: number;
  asked: number;
}

/** Has the health asked for again and again while something else runs. */
async function watchingHealth<T>(work: () => Promise<T>): Promise<{ result: T; health: Health }> {
  const watch = fork(join(import.meta.dirname, 'health-watch.mjs'), [daemon.url]);
  const said = new Promise<Health>((resolve) => watch.once('message', (health) => resolve(health as Health)));
  try {
    const result = await work();
    watch.send('over');
    return { result, health: await said };
  } finally {
    watch.kill();
  }
}

async function recovery(): Promise<number> {
  const startedAt = performance.now();
  await expect
    .poll(
      () =>
        send(daemon.url, 'PUT', '/v1/facts', JSON.parse(FACT), { 'x-svc-scopes': 'facts:write' }).then(
          (answer) => answer.status,
        ),
      { timeout: 30_000, interval: 20 },
    )
    .toBe(201);
  return Math.round(performance.now() - startedAt);
}

/** Log lines of requests for a route. */
const linesOf = (route: string): number =>
  daemon.output.split('\n').filter((line) => line.includes('"http_control"') && line.includes(`"${route}"`)).length;

const report = (figures: object): boolean => process.stdout.write(`overload: ${JSON.stringify(figures)}\n`);

describe('overload', { timeout: 180_000 }, () => {
  it('by one client: its rate is served, the rest is 429 with retry-after, health answers', async () => {
    const load = { port, sockets: 500, perSecond: 5_000, seconds: 5, request: VERSION };
    const { result, health } = await watchingHealth(() => flood(load));
    const recoveredMs = await recovery();
    report({
      load: 'one client',
      ...result,
      perSecond: Math.round(result.sent / result.seconds),
      health,
      recoveredMs,
      peakMiB: memory('VmHWM'),
      nowMiB: memory('VmRSS'),
    });
    const { statuses, withoutRetryAfter, sent } = result;
    expect(Object.keys(statuses).sort()).toEqual(['200', '429']);
    expect(statuses['200']! + statuses['429']!).toBe(sent);
    expect(statuses['200']).toBeGreaterThanOrEqual(200);
    await expect.poll(() => linesOf('/v1/version'), { timeout: 30_000, interval: 500 }).toBe(sent);
    expect(withoutRetryAfter).toBe(0);
    expect(health.statuses).toEqual([200]);
  });

  it('by 3,000 slow connections: as many as may be in flight, the rest is 503 with retry-after, health answers', async () => {
    const { result, health } = await watchingHealth(async () => {
      const held = await hold(port, 3_000, 30, SLOW_FACT);
      await expect.poll(() => held.tally().statuses['503'] ?? 0, { timeout: 20_000 }).toBe(3_000 - 1_024);
      expect(await inFlight()).toBe(1_024);
      const tally = await held.finish(FACT);
      held.close();
      return tally;
    });
    const recoveredMs = await recovery();
    report({
      load: '3,000 connections',
      ...result,
      health,
      recoveredMs,
      peakMiB: memory('VmHWM'),
      nowMiB: memory('VmRSS'),
    });
    expect(result.statuses).toEqual({ 201: 1_024, 503: 3_000 - 1_024 });
    expect(result.withoutRetryAfter).toBe(0);
    expect(health.statuses).toEqual([200]);
    await expect.poll(inFlight).toBe(0);
  });
});
