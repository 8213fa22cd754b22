import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { ServerProcess } from '../../kit/server-process.js';
import { Balancer } from './balancer.js';
import { until } from './svc-process.js';

/** Scaled down from the 5 s of production; long enough for a few probes on a busy machine. */
const DELAY = { SVC_SHUTDOWN_DELAY_SECS: '3' };
const ROUNDS = Number(process.env['SVC_TEST_ROLLING_ROUNDS'] ?? 1);

let folder: string;
let database: TestDatabase;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-rolling-'));
  database = await freshDatabase();
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

describe('a stopping process', { timeout: 600_000 }, () => {
  it('loses no request of clients behind a balancer, however many of its kind are restarted in turn', async () => {
    const fleet = await Promise.all(
      [1, 2, 3].map((n) => ServerProcess.at(database.url, join(folder, `api-${n}`), { ...DELAY, SVC_JOBS: '0' })),
    );
    for (const process of fleet) await process.start();
    const balancer = new Balancer(
      fleet.map(({ url }) => url),
      () => ({ path: '/build-info' }),
      8,
    );
    try {
      await until('traffic', () => balancer.answered > 100 && fleet.every(({ url }) => balancer.isReady(url)));
      for (let round = 0; round < ROUNDS; round += 1)
        for (const process of fleet) {
          await process.stop('SIGTERM');
          await process.start();
          await until('its turn again', () => balancer.isReady(process.url));
        }
    } finally {
      await balancer.stop();
      for (const process of fleet) await process.stop('SIGKILL');
    }
    expect([balancer.failures, balancer.answered > 100]).toEqual([[], true]);
  });

  it.each([
    ['tools', {}],
    ['daemon', { SVCD_AUTH_MODE: 'dev_scopes' }],
  ] as const)(
    '%s: every listener answers and says that the connection ends, until the delay is over',
    async (app, env) => {
      const api = app === 'tools' ? await ServerProcess.at(database.url, join(folder, 'api')) : undefined;
      await api?.start();
      const process = await ServerProcess.at(
        database.url,
        join(folder, app),
        { ...DELAY, ...env, SVC_LOG_LEVEL: 'info', ...(api ? { SVC_API_URL: api.url } : {}) },
        app,
      );
      try {
        await process.start();
        const idle = connect(Number(new URL(process.url).port), '127.0.0.1');
        const idleEnded = new Promise((resolve) => idle.once('close', resolve));
        idle.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
        await new Promise((resolve) => idle.once('data', resolve));
        const ended = process.stop('SIGTERM');
        await until('unreadiness', async () => (await send(process.url, 'GET', '/readyz')).status === 503);
        const { text, headers } = await send(process.url, 'GET', '/readyz');
        expect(text).toContain('"reason":"shutting down"');
        expect([headers.get('connection'), headers.get('retry-after')]).toEqual(['close', '1']);
        for (const url of mcpOf(process)) expect((await send(url, 'GET', '')).headers.get('connection')).toBe('close');
        for (const port of grpcPortOf(process)) await untilConnected(port);
        expect((await send(process.url, 'GET', '/healthz')).status).toBe(200);
        expect(idle.closed).toBe(false);
        await Promise.all([ended, idleEnded]);
        expect(process.output).toContain('"stopped"');
      } finally {
        await process.stop('SIGKILL');
        await api?.stop('SIGKILL');
      }
    },
  );

  it('stops at once at the second signal', async () => {
    const process = await ServerProcess.at(database.url, join(folder, 'insisted'), { SVC_SHUTDOWN_DELAY_SECS: '300' });
    await process.start();
    const ended = process.stop('SIGTERM');
    await until('unreadiness', async () => (await send(process.url, 'GET', '/readyz')).status === 503);
    // Signals closer together than a second are one.
    await sleep(1_500);
    await Promise.all([ended, process.stop('SIGTERM')]);
    expect(process.hasEnded).toBe(true);
  });
});

const grpcPortOf = ({ output }: ServerProcess): number[] =>
  [...output.matchAll(/"grpc":"[^"]+:(\d+)"/g)].map(([, port]) => Number(port));

async function untilConnected(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
}

/** The other HTTP listener of a daemon, as its log names it. */
const mcpOf = ({ output }: ServerProcess): string[] => [...output.matchAll(/"mcp":"([^"]+)"/g)].map(([, url]) => url!);
