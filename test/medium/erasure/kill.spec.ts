import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AcmeDaemon, startAcmeDaemon } from '../../kit/acme-daemon.js';

let acme: AcmeDaemon;
beforeAll(async () => {
  acme = await startAcmeDaemon();
}, 120_000);
afterAll(() => acme.close());

it('an erasure that takes long is answered as running, and goes on after kill -9 of the process that took it', async () => {
  const facts = Array.from({ length: 50 }, (_, n) => ({ entity: 'person:kim', key: `k${n}`, value: 'kingfisher' }));
  expect((await acme.call('PUT', '/v1/facts/bulk', facts)).status).toBeLessThan(300);
  // Another erasure of the tenant is under way, so that this one waits for it.
  const other = new Client({ connectionString: acme.database.url });
  await other.connect();
  const lock = `hashtextextended('["erasure", "acme"]'::jsonb::text, 0)`;
  await other.query(`select pg_advisory_lock(${lock})`);

  const answer = await acme.call('POST', '/v1/facts/erase', { entities: ['person:kim'] });
  expect([answer.status, answer.body.erasure]).toEqual([
    200,
    expect.objectContaining({ state: 'running', counts: {} }),
  ]);
  const path = `/v1/facts/erase/${answer.body.erasure.erasure_id}`;
  await acme.daemon.stop('SIGKILL');
  await other.end();
  await acme.daemon.start();
  expect((await acme.call('GET', path)).body.erasure.state).toMatch(/running|removed/);
  await expect
    .poll(async () => (await acme.call('GET', path)).body.erasure.state, { timeout: 60_000, interval: 200 })
    .not.toBe('running');
  const { erasure } = (await acme.call('GET', path)).body;
  expect(['removed', 'scrubbed']).toContain(erasure.state);
  expect(erasure.counts.fact).toBe(50);
  expect((await acme.call('GET', '/v1/facts?entity=person:kim')).body.facts).toEqual([]);

  const left = await acme.database.query('select 1 from erasure_request');
  const receipts = await acme.database.query(`select 1 from receipt where kind = 'erasure.completed'`);
  expect([left.length, receipts.length]).toEqual([0, 1]);
  const list = readdirSync(join(acme.dataDir, 'checkpoints', 'erasures'));
  expect(list).toEqual([`${erasure.erasure_id}.json`]);
}, 180_000);
