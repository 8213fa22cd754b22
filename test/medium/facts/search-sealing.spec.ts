import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FactSegmentFlush } from '../../../src/modules/memory/facts/fact-search/fact-segment-flush.service.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

let first: TestDaemon;
let second: TestDaemon;
beforeAll(async () => {
  first = await startDaemon();
  second = await startDaemon({ database: first.database });
}, 60_000);
afterAll(async () => {
  await second.close();
  await first.close();
});

const on = (daemon: TestDaemon, tenant: string): DaemonCall =>
  daemon.as({ scopes: 'query:read facts:write', passport: 'ada', tenant });
const settle = (daemon: TestDaemon, tenant: string) => daemon.app.get(FactSegmentFlush).settle(tenant);
const fact = (entity: string, value: string) => ({ entity, key: 'k', value });

/** A 503 is retried: on a slow machine, segments change faster than they can be read. */
const MAX_ATTEMPTS = 20;
const found = async (call: DaemonCall, query: string): Promise<string[]> => {
  const ask = () => call('GET', `/v1/facts?top_k=1000&query=${encodeURIComponent(query)}`);
  let { status, body } = await ask();
  for (let attempt = 1; status === 503 && attempt < MAX_ATTEMPTS; attempt++) {
    await sleep(100);
    ({ status, body } = await ask());
  }
  expect(status, JSON.stringify(body)).toBe(200);
  return (body.facts as { value: string }[]).map(({ value }) => value).sort();
};

interface Sealed {
  sealed: string;
  facts: number;
  segments: number;
}
const sealed = async (tenant: string): Promise<Sealed> => {
  const [row] = await first.database.query<Sealed>(
    `select (select sealed_seq from fact_index where tenant_id = $1) as sealed, coalesce(sum(fact_count), 0)::int as facts, count(*)::int as segments
     from fact_segment where tenant_id = $1`,
    [tenant],
  );
  return row!;
};

/** Settles until so many facts are sealed: while the other daemon has the lock for its own pass, nothing is. */
const untilSealed = (tenant: string, facts: number, daemon = first): Promise<void> =>
  expect
    .poll(
      async () => {
        await settle(daemon, tenant);
        return (await sealed(tenant)).facts;
      },
      { timeout: 30_000 },
    )
    .toBe(facts);

it('neither loses nor doubles a fact while two processes write, seal and merge at once', async () => {
  const tenant = 'busy';
  const calls = [on(first, tenant), on(second, tenant)];
  let isOver = false;
  const sealing = [first, second].map(async (daemon) => {
    while (!isOver) await settle(daemon, tenant);
  });
  const writing = Array.from({ length: 6 }, async (_, writer) => {
    for (let n = 0; n < 25; n++) {
      const call = calls[(writer + n) % 2]!;
      const name = `writer${writer}n${n}`;
      const batch = [fact(`e:${name}`, `straw ${name}`), fact(`counter:${writer}`, `tally at${n}of${writer}`)];
      expect((await call('PUT', '/v1/facts/bulk', batch)).status).toBe(201);
      expect(await found(calls[n % 2]!, name)).toEqual([`straw ${name}`]);
      expect(await found(calls[n % 2]!, `at${n}of${writer} counter:${writer}`)).toContain(`tally at${n}of${writer}`);
    }
  });
  try {
    await Promise.all(writing);
  } finally {
    isOver = true;
    await Promise.all(sealing);
  }
  await untilSealed(tenant, 300);
  for (const call of calls) {
    expect(await found(call, 'straw')).toHaveLength(150);
    expect(await found(call, 'tally')).toEqual(Array.from({ length: 6 }, (_, writer) => `tally at24of${writer}`));
  }
}, 120_000);

it('reads position and segments of one moment, also when a flush commits while it reads', async () => {
  const tenant = 'reading';
  expect((await on(first, tenant)('PUT', '/v1/facts', fact('a', 'straw'))).status).toBe(201);
  await untilSealed(tenant, 1);
  const writer = new Client({ connectionString: first.database.superuserUrl });
  const reader = new Client(first.database.urlAs('svc_app'));
  await Promise.all([writer.connect(), reader.connect()]);
  try {
    await writer.query('begin');
    await writer.query('lock table fact_segment in access exclusive mode');
    // It has read the position, and waits for the segments.
    const reading = reader.query<{ generation: string; segments: unknown[] }>(
      `select * from svc_fact_index($1, -1, '{}', 10)`,
      [tenant],
    );
    const isWaiting = async () =>
      (await writer.query(`select from pg_locks where relation = 'fact_segment'::regclass and not granted`)).rowCount;
    await expect.poll(isWaiting).toBe(1);
    const { rows } = await writer.query<{ generation: string }>(
      'update fact_index set generation = generation + 1 where tenant_id = $1 returning generation - 1 as generation',
      [tenant],
    );
    await writer.query('delete from fact_segment where tenant_id = $1', [tenant]);
    await writer.query('commit');
    const state = (await reading).rows.at(-1)!;
    expect([state.generation, state.segments.length]).toEqual([rows[0]!.generation, 1]);
  } finally {
    await Promise.all([writer.end(), reader.end()]);
  }
});

it('never seals past a transaction that has still to commit', async () => {
  const tenant = 'slow';
  const call = on(first, tenant);
  const writer = new Client(first.database.urlAs('svc_app'));
  await writer.connect();
  try {
    await writer.query('begin');
    const late = {
      fact_id: '0198f2c4-7d3e-7abc-8def-0123456789ab',
      owner: '',
      visibility: 0,
      actor: 'x',
      confidence: 1,
    };
    const rounds = [[{ ...late, ...fact('late', 'straw late'), horizon_class: 'durable', tokens: 2 }]];
    await writer.query('select * from svc_store_facts($1, $2::json)', [tenant, JSON.stringify(rounds)]);
    expect((await call('PUT', '/v1/facts', fact('early', 'straw early'))).status).toBe(201);
    await settle(first, tenant);
    expect((await sealed(tenant)).sealed).toBeNull();
    expect(await found(call, 'straw')).toEqual(['straw early']);
    await writer.query('commit');
  } finally {
    await writer.end();
  }
  expect(await found(call, 'straw')).toEqual(['straw early', 'straw late']);
  await untilSealed(tenant, 2, second);
  expect(await found(call, 'straw')).toEqual(['straw early', 'straw late']);
});

it('rebuilds a damaged index from the facts', async () => {
  const tenant = 'damaged';
  const call = on(first, tenant);
  expect((await call('PUT', '/v1/facts/bulk', [fact('a', 'straw one'), fact('b', 'straw two')])).status).toBe(201);
  await untilSealed(tenant, 2);
  await first.database.query(
    `update fact_segment set columns = set_byte(columns, 3, get_byte(columns, 3) # 1) where tenant_id = $1`,
    [tenant],
  );
  const damaged = await on(second, tenant)('GET', '/v1/facts?query=straw');
  expect([damaged.status, damaged.body.code, damaged.headers.get('retry-after')]).toEqual([
    503,
    expect.any(String),
    '1',
  ]);
  for (const reader of [call, on(second, tenant)])
    expect(await found(reader, 'straw')).toEqual(['straw one', 'straw two']);
  await untilSealed(tenant, 2);
});

it('moves superseded facts out of what a search of the current ones reads', async () => {
  const tenant = 'moved';
  const call = on(first, tenant);
  for (let round = 0; round < 9; round++) {
    const batch = Array.from({ length: 70 }, (_, i) => fact(`e${i % (round + 62)}-${i}`, `straw round${round}`));
    expect((await call('PUT', '/v1/facts/bulk', batch)).status).toBe(201);
    await settle(round % 2 ? first : second, tenant);
  }
  const kinds = await first.database.query<{ history: boolean; facts: number; segments: number; retired: number }>(
    `select history, sum(fact_count)::int as facts, count(*)::int as segments, sum(retire_count)::int as retired from fact_segment
     where tenant_id = $1 group by 1 order by 1`,
    [tenant],
  );
  expect(kinds.map(({ facts }) => facts).reduce((a, b) => a + b)).toBe(630);
  const current = await found(call, 'straw');
  expect(kinds[0]!.facts - kinds[0]!.retired).toBe(current.length);
  expect(kinds[1]!.facts).toBeGreaterThan(0);
  expect(kinds[0]!.segments).toBeLessThan(9);
});
