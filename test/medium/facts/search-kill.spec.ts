import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AcmeDaemon, startAcmeDaemon } from '../../kit/acme-daemon.js';

/** More than what is sealed at once. */
const BATCH = 600;

let acme: AcmeDaemon;
beforeAll(async () => {
  acme = await startAcmeDaemon();
}, 60_000);
afterAll(() => acme.close());

let stored = 0;
async function store(): Promise<void> {
  const facts = Array.from({ length: BATCH }, (_, i) => ({
    entity: `e:${stored + i}`,
    key: 'k',
    value: `straw part${Math.floor((stored + i) / BATCH)}`,
  }));
  expect((await acme.call('PUT', '/v1/facts/bulk', facts)).status).toBe(201);
  stored += BATCH;
}

async function checkSearch(): Promise<void> {
  for (let part = 0; part * BATCH < stored; part++) {
    const { status, body } = await acme.call('GET', `/v1/facts?top_k=1000&query=part${part}`);
    expect([status, body.facts.length]).toEqual([200, BATCH]);
  }
}

const facts = async (): Promise<number> => {
  const [row] = await acme.database.query<{ facts: number }>(
    'select coalesce(sum(fact_count), 0)::int as facts from fact_segment',
  );
  return row!.facts;
};

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(50);
}

/**
 * Kills the daemon while its sealing or merging waits, in the middle of a transaction, for what the lock holds; then
 * starts it again.
 */
async function killedAt(lock: string, write: () => Promise<void>): Promise<void> {
  const holder = new Client(acme.database.urlAs('svc_operator'));
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query(lock);
    await write();
    await until(async () => {
      const [row] = await acme.database.query<{ waits: boolean }>(
        `select exists (select from pg_locks waiting join pg_locks held using (pid)
           where not waiting.granted and held.relation = 'fact_segment'::regclass) as waits`,
      );
      return row!.waits;
    });
    await acme.daemon.stop('SIGKILL');
  } finally {
    await holder.query('rollback');
    await holder.end();
  }
  await acme.daemon.start();
}

it('finds everything once after kill -9 of a process that seals, and of one that merges', async () => {
  const written = async (): Promise<void> => {
    await store();
    await checkSearch();
  };
  await killedAt('lock table fact_segment in share mode', written);
  await checkSearch();
  await until(async () => (await facts()) === stored);
  await checkSearch();
  for (let round = 0; round < 6; round++) {
    await store();
    await checkSearch();
    await until(async () => (await facts()) === stored);
  }
  // The eighth segment of a size makes them one: it waits for those that are there.
  await killedAt('select from fact_segment for update', written);
  await checkSearch();
  // What was not merged is merged when something is sealed again.
  await written();
  await until(async () => {
    const rows = await acme.database.query('select from fact_segment');
    return (await facts()) === stored && rows.length < 3;
  });
  await checkSearch();
}, 240_000);
