import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { ServerProcess } from '../../kit/server-process.js';

const HEADERS = { 'x-svc-scopes': 'admin:read admin:write facts:read facts:write', 'x-svc-tenant-id': 'acme' };

let database: TestDatabase;
let dataDir: string;
let daemon: ServerProcess;
beforeAll(async () => {
  database = await freshDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'svc-erasure-kill-'));
  daemon = await ServerProcess.at(database.url, dataDir, {}, 'daemon');
  await daemon.start();
}, 120_000);
afterAll(async () => {
  await daemon.stop('SIGKILL');
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const call = (method: string, path: string, body?: unknown) => send(daemon.url, method, path, body, HEADERS);

it('that takes long is answered as running, and goes on after kill -9 of the process that took it', async () => {
  const facts = Array.from({ length: 50 }, (_, n) => ({ entity: 'person:kim', key: `k${n}`, value: 'kingfisher' }));
  expect((await call('PUT', '/v1/facts/bulk', facts)).status).toBeLessThan(300);
  // Another erasure of the tenant is under way, so that this one waits for it.
  const other = new Client({ connectionString: database.url });
  await other.connect();
  const lock = `hashtextextended('["erasure", "acme"]'::jsonb::text, 0)`;
  await other.query(`select pg_advisory_lock(${lock})`);

  const answer = await call('POST', '/v1/facts/erase', { entities: ['person:kim'] });
  expect([answer.status, answer.body.erasure]).toEqual([
    200,
    expect.objectContaining({ state: 'running', counts: {} }),
  ]);
  const path = `/v1/facts/erase/${answer.body.erasure.erasure_id}`;
  await daemon.stop('SIGKILL');
  await other.end();
  await daemon.start();
  expect((await call('GET', path)).body.erasure.state).toMatch(/running|removed/);
  await expect
    .poll(async () => (await call('GET', path)).body.erasure.state, { timeout: 60_000, interval: 200 })
    .not.toBe('running');
  const { erasure } = (await call('GET', path)).body;
  expect(['removed', 'scrubbed']).toContain(erasure.state);
  expect(erasure.counts.fact).toBe(50);
  expect((await call('GET', '/v1/facts?entity=person:kim')).body.facts).toEqual([]);

  const left = await database.query('select 1 from erasure_request');
  const receipts = await database.query(`select 1 from receipt where kind = 'erasure.completed'`);
  expect([left.length, receipts.length]).toEqual([0, 1]);
  const list = readdirSync(join(dataDir, 'checkpoints', 'erasures'));
  expect(list).toEqual([`${erasure.erasure_id}.json`]);
}, 180_000);
