import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { asSuperuser, makeItems, runOut } from './work-items.js';

let daemon: TestDaemon;
let ada: DaemonCall;
let bo: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon({ tenants: ['default', 'other'], env: { SVCD_FEATURE_LEGAL_HOLD: '1' } });
  ada = daemon.as({ scopes: 'facts:write query:read', passport: 'ada' });
  bo = daemon.as({ scopes: 'facts:write', passport: 'bo' });
});
afterAll(() => daemon.close());

let item = '';
let fence = 0;
let count = 0;
/** An item that ada has claimed. */
beforeEach(async () => {
  count += 1;
  item = (await makeItems(daemon.database, `f${count}`, 1))[0]!;
  fence = (await ada('POST', `/v1/work/${item}/claim`, {})).body.lease.fence;
});

const fact = (value = 'v') => ({ entity: `thing-${count}`, key: 'colour', value });
const fenced = (number: number | string) => ({ 'x-svc-fence': String(number) });
const versions = async () => {
  const rows = await daemon.database.query<{ value: string }>('select value from fact where entity = $1 order by seq', [
    `thing-${count}`,
  ]);
  return rows.map(({ value }) => value);
};

describe('X-Svc-Fence on PUT /v1/facts', () => {
  it('of a live lease lets the write through, in every way facts are written', async () => {
    const stored = await ada('PUT', '/v1/facts', fact('a'), fenced(fence));
    expect([stored.status, stored.body.version]).toEqual([201, 1]);
    const bulk = await ada('PUT', '/v1/facts/bulk', [fact('b'), fact('c')], fenced(fence));
    expect([bulk.status, bulk.body.facts.map(({ version }: { version: number }) => version)]).toEqual([201, [2, 3]]);
    const latest = bulk.body.facts[1].fact_id;
    expect((await ada('DELETE', `/v1/facts/${latest}`, undefined, fenced(fence))).status).toBe(200);
  });

  it('of a lease that another took over is 409 with the newer holder, and changes nothing', async () => {
    await ada('PUT', '/v1/facts', fact('kept'), fenced(fence));
    await runOut(daemon.database, fence);
    const { lease } = (await bo('POST', `/v1/work/${item}/claim`, {})).body;
    for (const [method, path, body] of [
      ['PUT', '/v1/facts', fact('late')],
      ['PUT', '/v1/facts/bulk', [fact('late')]],
      ['PUT', '/v1/facts/bulk', []],
    ] as const) {
      const { status, body: answer } = await ada(method, path, body, fenced(fence));
      expect([status, answer]).toMatchObject([
        409,
        {
          code: 'FENCE_STALE',
          fence,
          newer: { fence: lease.fence, holder_passport: 'bo', expires_at: lease.expires_at },
        },
      ]);
    }
    expect(await versions()).toEqual(['kept']);
    expect((await bo('PUT', '/v1/facts', fact('next'), fenced(lease.fence))).status).toBe(201);
  });

  it('of a lease whose time is over is 409 at once, though nobody has it and no sweep has been', async () => {
    await runOut(daemon.database, fence);
    const { status, body } = await ada('PUT', '/v1/facts', fact('late'), fenced(fence));
    expect([status, body.code, body.newer]).toEqual([409, 'FENCE_STALE', null]);
    expect(await versions()).toEqual([]);
  });

  it('of a released lease, of another tenant’s, or of none is 409', async () => {
    const there = daemon.as({ scopes: 'facts:write', passport: 'ada', tenant: 'other' });
    expect((await there('PUT', '/v1/facts', fact(), fenced(fence))).body).toMatchObject({
      code: 'FENCE_STALE',
      newer: null,
    });
    await ada('POST', `/v1/work/${item}/release`, { fence });
    expect((await ada('PUT', '/v1/facts', fact(), fenced(fence))).body.code).toBe('FENCE_STALE');
    expect((await ada('PUT', '/v1/facts', fact(), fenced(4_000_000_000))).body.code).toBe('FENCE_STALE');
    expect(await versions()).toEqual([]);
  });

  it.each(['0', '-1', '1.0', 'x', '1,2'])('that is %j is 400 and says what it has to be', async (sent) => {
    const { status, body } = await ada('PUT', '/v1/facts', fact(), fenced(sent));
    expect([status, body.detail]).toEqual([400, expect.stringContaining('headers.x-svc-fence')]);
  });

  it('is part of the OpenAPI document, with its refusal', async () => {
    const { body } = await daemon.call('GET', '/v1/openapi.json');
    for (const [path, verb] of [
      ['/v1/facts', 'put'],
      ['/v1/facts/bulk', 'put'],
      ['/v1/work/{id}/renew', 'post'],
      ['/v1/work/{id}/release', 'post'],
      ['/v1/edges', 'put'],
      ['/v1/projects/{id}', 'patch'],
    ] as const) {
      const { parameters, responses } = body.paths[path][verb];
      expect([path, parameters.map(({ name }: { name: string }) => name)]).toEqual([
        path,
        expect.arrayContaining(['x-svc-fence']),
      ]);
      const [, name] = /responses\/(.*)$/.exec(responses['409'].$ref)!;
      expect([path, JSON.stringify(body.components.responses[name!])]).toEqual([
        path,
        expect.stringContaining('fence-stale'),
      ]);
    }
  });
});

describe('X-Svc-Fence on whatever else changes something', () => {
  const edge = { from_kind: 'thing', from_id: 'a', edge_kind: 'near', to_kind: 'thing', to_id: 'b' };
  const WRITES: [string, string, unknown][] = [
    ['PUT', '/v1/entities/thing/a', { payload: {} }],
    ['PUT', '/v1/edges', edge],
    ['POST', '/v1/relations', { tenant_id: 'default', from_id: 1, to_id: 2, edge_type: 'near' }],
    ['POST', '/v1/cases', { task: 'Count', action: 'Counted', outcome: 'Twelve' }],
    ['POST', '/v1/projects', { id: 'fenced', default_passport_id: 'ada' }],
    ['POST', '/v1/legal-holds', { tenant_id: 'default', reason: 'case', entity_prefixes: ['held-'] }],
    ['POST', '/v1/work', { project_id: 'p', title: 'More', created_by_passport: 'ada' }],
    ['DELETE', '/v1/entities/thing/a', undefined],
  ];
  const events = async () => (await daemon.database.query('select count(*)::int as events from outbox_event'))[0];

  it('of an ended lease is 409 and changes nothing, of a live one it is written', async () => {
    const all = daemon.as({ scopes: ALL_SCOPES, passport: 'ada' });
    const other = (await makeItems(daemon.database, `ended${count}`, 1))[0]!;
    const { fence: ended } = (await ada('POST', `/v1/work/${other}/claim`, {})).body.lease;
    await ada('POST', `/v1/work/${other}/release`, { fence: ended });
    const before = await events();
    for (const [method, path, body] of WRITES) {
      const { status, body: answer } = await all(method, path, body, fenced(ended));
      expect([method, path, status, answer.code]).toEqual([method, path, 409, 'FENCE_STALE']);
      expect([path, (await all(method, path, body, fenced('x'))).status]).toEqual([path, 400]);
    }
    expect(await events()).toEqual(before);
    for (const [method, path, body] of WRITES) {
      const { status, body: answer } = await all(method, path, body, fenced(fence));
      expect([method, path, status, answer.code]).toEqual([method, path, expect.any(Number), undefined]);
    }
    expect(await events()).not.toEqual(before);
  });
});

describe('X-Svc-Fence on writes to work', () => {
  const change = { by_passport: 'ada', title: 'Changed' };
  const say = { author_passport: 'ada', body: 'Done soon' };

  it('lets the holder write, and refuses who held it before, in every way', async () => {
    expect((await ada('PATCH', `/v1/work/${item}`, change, fenced(fence))).status).toBe(200);
    expect((await ada('POST', `/v1/work/${item}/comments`, say, fenced(fence))).status).toBe(200);
    await runOut(daemon.database, fence);
    const { lease } = (await bo('POST', `/v1/work/${item}/claim`, {})).body;
    const [before] = await daemon.database.query('select version, title from work_item where work_id = $1', [item]);
    for (const [method, path, body] of [
      ['PATCH', '', { ...change, title: 'Late' }],
      ['POST', '/comments', say],
      ['POST', '/renew', {}],
      ['POST', '/release', {}],
    ] as const) {
      const { status, body: answer } = await ada(method, `/v1/work/${item}${path}`, body, fenced(fence));
      expect([path, status, answer.newer]).toEqual([
        path,
        409,
        { fence: lease.fence, holder_passport: 'bo', expires_at: lease.expires_at },
      ]);
    }
    expect(await daemon.database.query('select version, title from work_item where work_id = $1', [item])).toEqual([
      before,
    ]);
  });

  it('refuses the fence of another item', async () => {
    const [other] = await makeItems(daemon.database, `other${count}`, 1);
    const { status, body } = await ada('PATCH', `/v1/work/${other}`, change, fenced(fence));
    expect([status, body.code]).toEqual([409, 'FENCE_STALE']);
  });

  it('of an item that becomes done is over with it', async () => {
    await ada('PATCH', `/v1/work/${item}`, { by_passport: 'ada', state: 'cancelled' }, fenced(fence));
    const [lease] = await daemon.database.query<{ status: string }>('select status from lease where fence = $1', [
      fence,
    ]);
    expect(lease).toEqual({ status: 'released' });
    expect((await ada('PUT', '/v1/facts', fact(), fenced(fence))).body.code).toBe('FENCE_STALE');
  });
});

describe('a writer that stops between the check of its fence and its commit', () => {
  it('holds up whoever would take over until it has committed: none comes between', async () => {
    const [held] = await makeItems(daemon.database, `held${count}`, 1);
    const claimed = (await ada('POST', `/v1/work/${held}/claim`, { ttl_secs: 1 })).body.lease;
    const client = new Client(daemon.database.urlAs('svc_app'));
    await client.connect();
    await client.query('begin');
    await client.query(`select set_config('svc.tenant_id', 'default', true)`);
    // What the check does, in a transaction that stays open past the end of the lease.
    const { rowCount } = await client.query(`select from lease where fence = $1 and status = 'held' for share`, [
      claimed.fence,
    ]);
    expect(rowCount).toBe(1);
    while ((await daemon.call('GET', `/v1/work/${held}`)).body.state !== 'ready') await sleep(50);
    let isTaken = false;
    const taking = bo('POST', `/v1/work/${held}/claim`, {}).then((answer) => {
      isTaken = true;
      return answer;
    });
    await blockedClaim();
    expect(isTaken).toBe(false);
    await client.query('commit');
    await client.end();
    expect((await taking).body.lease.fence).toBeGreaterThan(claimed.fence);
  });
});

/** Until somebody waits for a lock in the database. */
async function blockedClaim(): Promise<void> {
  for (;;) {
    const rows = await asSuperuser(
      daemon.database,
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return;
    await sleep(20);
  }
}
