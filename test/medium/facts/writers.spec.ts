import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FactWrites } from '../../../src/modules/memory/facts/fact-writes.js';
import { FactWritesStore } from '../../../src/modules/memory/facts/fact-writes.store.js';
import type { FactDraft } from '../../../src/modules/memory/facts/facts.types.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

const WRITERS = 16;

let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  // Created: the events of their first writes are those of the writes alone.
  daemon = await startDaemon({ tenants: ['u', 'w'] });
  call = daemon.as({ scopes: 'admin:read admin:write', passport: 'ada', tenant: 't' });
}, 60_000);
afterAll(() => daemon.close());

const put = async (entity: string, key: string, value: string) => {
  const answer = await call('PUT', '/v1/facts', { entity, key, value });
  expect(answer.status).toBe(201);
  return answer.body as { fact_id: string; version: number };
};
const together = <T>(work: (writer: number) => Promise<T>) =>
  Promise.all(Array.from({ length: WRITERS }, (_, writer) => work(writer)));
const upTo = (n: number) => Array.from({ length: n }, (_, at) => at + 1);

describe('writers at once', () => {
  it('of one chain make versions without gaps, one of them current, each superseded by the next', async () => {
    await together(async (writer) => {
      for (let n = 0; n < 5; n++) await put('one', 'chain', `${writer}.${n}`);
    });
    const { facts, total_visible } = (await call('GET', '/v1/facts/list?entity_prefix=one&limit=1000')).body;
    const versions = (facts as { version: number }[]).map(({ version }) => version);
    expect(versions).toEqual(upTo(80).toReversed());
    expect(total_visible).toBe(80);
    const chain = facts as { fact_id: string; superseded_by?: string }[];
    expect(chain.map(({ superseded_by }) => superseded_by)).toEqual([
      undefined,
      ...chain.slice(0, -1).map(({ fact_id }) => fact_id),
    ]);
    expect((await call('GET', '/v1/facts/entity/one')).body.facts).toEqual([facts[0]]);
  });

  it('in two processes do so too, with lists, deletions and totals that agree with the rows', async () => {
    const other = await startDaemon({ database: daemon.database });
    const callers = [daemon, other].map((one) =>
      one.as({ scopes: 'admin:read admin:write', passport: 'bob', tenant: 'u' }),
    );
    await together(async (writer) => {
      const mine = callers[writer % 2]!;
      for (let n = 0; n < 6; n++) {
        const also = n % 3 === 0 ? { private: true } : {};
        const { body, status } = await mine('PUT', '/v1/facts', {
          entity: 'two',
          key: `k${(writer + n) % 3}`,
          value: 'v',
          ...also,
        });
        expect(status).toBe(201);
        const bulk = upTo(4).map((at) => ({ entity: `two${at % 2}`, key: `k${(writer + at) % 5}`, value: 'v' }));
        expect((await mine('PUT', '/v1/facts/bulk', bulk)).status).toBe(201);
        if (n === 3) expect([200, 404, 409]).toContain((await mine('DELETE', `/v1/facts/${body.fact_id}`)).status);
      }
    });
    const rows = await daemon.database.query<{ records: string; current: string; gaps: string; doubles: string }>(`
      with live as (select * from fact where tenant_id = 'u' and deleted_at is null and not tombstone),
        chains as (select chain, count(*) n, max(version) top, count(*) filter (where superseded_by is null and deleted_at is null and not tombstone) as current
          from fact where tenant_id = 'u' group by chain)
      select (select count(*) from live) as records, (select count(*) from live where superseded_at is null) as current,
        (select count(*) from chains where n <> top) as gaps, (select count(*) from chains where current > 1) as doubles`);
    const totals = async (flag: number) =>
      (await callers[0]!('GET', `/v1/facts/list?limit=1&include_superseded=${flag}`)).body.total_nondeleted as number;
    expect(rows).toEqual([
      { records: String(await totals(1)), current: String(await totals(0)), gaps: '0', doubles: '0' },
    ]);
    const events = await daemon.database.query<{ kind: string; n: string; named: string }>(
      `select kind, count(*) as n, count(*) filter (where data ? 'entity' and data ? 'private') as named from outbox_event where tenant_id = 'u' group by kind order by kind`,
    );
    const [{ stored, retired }] = (await daemon.database.query<{ stored: string; retired: string }>(
      `select count(*) filter (where not tombstone) as stored, count(*) filter (where tombstone) as retired from fact where tenant_id = 'u'`,
    )) as [{ stored: string; retired: string }];
    expect(events).toEqual([
      { kind: 'fact.retired', n: retired, named: '0' },
      { kind: 'fact.stored', n: stored, named: '0' },
    ]);
    await other.close();
  }, 60_000);

  it('that are gathered into one statement stand by themselves when the database refuses one of them', async () => {
    const writes = daemon.app.get(FactWrites, { strict: false });
    const store = daemon.app.get(FactWritesStore, { strict: false });
    const draft = (at: number): FactDraft => ({
      fact_id: crypto.randomUUID(),
      owner: '',
      visibility: 0,
      entity: 'mixed',
      key: `k${at}`,
      value: 'v',
      actor: 'a',
      actor_claimed: false,
      written_by: 'a',
      path: 'body',
      confidence: 1,
      horizon_class: 'durable',
      tokens: 1,
    });
    const taken = draft(0);
    const by = { principal: 'a', authType: 'dev_scopes' };
    await store.store('v', 'facts', [taken], by);
    const results = await Promise.allSettled(
      upTo(9).map((at) => writes.add('v', [at === 5 ? { ...draft(at), fact_id: taken.fact_id } : draft(at)], by)),
    );
    expect(results.map(({ status }) => status)).toEqual(upTo(9).map((at) => (at === 5 ? 'rejected' : 'fulfilled')));
  });

  it('publish events that describe public facts without their values, and private ones by their id alone', async () => {
    const quiet = daemon.as({ scopes: 'facts:write', passport: 'ada', tenant: 'w' });
    const open = (await quiet('PUT', '/v1/facts', { entity: 'e', key: 'k', value: 'the value' })).body;
    const own = (await quiet('PUT', '/v1/facts', { entity: 'e', key: 'k', value: 'the value', private: true })).body;
    await quiet('DELETE', `/v1/facts/${own.fact_id}`);
    await quiet('DELETE', `/v1/facts/${open.fact_id}`);
    const events = await daemon.database.query(
      `select kind, subject, data from outbox_event where tenant_id = 'w' order by position`,
    );
    const published = { fact_id: open.fact_id, entity: 'e', key: 'k', version: 1, actor: 'ada' };
    const hidden = { fact_id: own.fact_id, private: true };
    expect(events).toEqual([
      { kind: 'fact.stored', subject: open.fact_id, data: published },
      { kind: 'fact.stored', subject: own.fact_id, data: hidden },
      { kind: 'fact.retired', subject: own.fact_id, data: hidden },
      { kind: 'fact.retired', subject: open.fact_id, data: published },
    ]);
  });
});
