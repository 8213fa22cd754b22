import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RefusedDeletionsSweep } from '../../../src/modules/governance/legal-holds/refused-deletions.sweep.js';
import { openReceipt } from '../../../src/evidence/receipt.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
let here: DaemonCall;
let other: DaemonCall;
let owner: Client;
let superuser: Client;
const warnings: string[] = [];
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_FEATURE_LEGAL_HOLD: '1' }, tenants: ['here', 'other'] });
  here = daemon.as({ scopes: 'admin:write facts:write', tenant: 'here' });
  other = daemon.as({ scopes: 'admin:write facts:write', tenant: 'other' });
  owner = new Client({ connectionString: daemon.database.url });
  superuser = new Client({ connectionString: daemon.database.superuserUrl });
  for (const client of [owner, superuser]) {
    await client.connect();
    client.on('notice', ({ message }) => warnings.push(message ?? ''));
  }
});
afterAll(async () => {
  await owner.end();
  await superuser.end();
  await daemon.close();
});

const place = async (...entity_prefixes: string[]): Promise<string> => {
  const { status, body } = await here('POST', '/v1/legal-holds', {
    tenant_id: 'here',
    reason: 'Matter',
    entity_prefixes,
  });
  expect([status, body.detail]).toEqual([201, undefined]);
  return body.hold.id;
};
const release = async (id: string) => expect((await here('DELETE', `/v1/legal-holds/${id}`)).status).toBe(200);
const store = async (entity: string, value = 'v', by = here): Promise<string> =>
  (await by('PUT', '/v1/facts', { entity, key: 'k', value })).body.fact_id;
const remove = (factId: string, by = here) => by('DELETE', `/v1/facts/${factId}`);
const refusal = (...hold_ids: string[]) => ({ status: 409, code: 'LEGAL_HOLD', hold_ids });
const count = async (condition: string): Promise<number> =>
  Number((await superuser.query(`select count(*) from ${condition}`)).rows[0].count);

describe('what a hold pins', () => {
  it('is not deleted by any route of the daemon; new versions are stored as before', async () => {
    const fact = await store('p:a');
    const free = await store('q:a');
    await here('PUT', '/v1/entities/p/x', { payload: { a: 1 } });
    const edge = { from_kind: 'q', from_id: 'y', edge_kind: 'knows', to_kind: 'p', to_id: 'x' };
    await here('PUT', '/v1/edges', { ...edge, payload: { since: 1 } });
    const hold = await place('p:');

    expect((await remove(fact)).body).toMatchObject(refusal(hold));
    expect((await here('DELETE', '/v1/entities/p/x')).body).toMatchObject(refusal(hold));
    expect((await here('DELETE', '/v1/edges', edge)).body).toMatchObject(refusal(hold));
    // An edge has no versions: another payload would replace what there was.
    expect((await here('PUT', '/v1/edges', { ...edge, payload: { since: 2 } })).body).toMatchObject(refusal(hold));
    expect((await here('PUT', '/v1/edges', { ...edge, payload: { since: 1 } })).status).toBe(200);

    const newer = (await here('PUT', '/v1/facts', { entity: 'p:a', key: 'k', value: 'new' })).body;
    expect(newer.version).toBe(2);
    expect((await here('PUT', '/v1/entities/p/x', { payload: { a: 2 } })).status).toBe(200);
    expect((await remove(free)).status).toBe(200);
    expect(await count(`fact where tenant_id = 'here' and entity = 'p:a' and deleted_at is null`)).toBe(2);

    await release(hold);
    expect((await remove(newer.fact_id)).status).toBe(200);
    expect((await here('DELETE', '/v1/entities/p/x')).status).toBe(200);
    expect((await here('DELETE', '/v1/edges', edge)).status).toBe(200);
  });

  it('is pinned by each hold for itself, and in its own tenant alone', async () => {
    const fact = await store('both:a');
    const theirs = await store('both:a', 'v', other);
    const [one, two, all] = [await place('both:'), await place('both:a', 'x:'), await place()];
    expect((await remove(fact)).body).toMatchObject(refusal(one, two, all));
    expect((await remove(theirs, other)).status).toBe(200);
    await release(one);
    expect((await remove(fact)).body).toMatchObject(refusal(two, all));
    await release(all);
    expect((await remove(fact)).body).toMatchObject(refusal(two));
    await release(two);
    expect((await remove(fact)).status).toBe(200);
  });

  it('is kept where a placing meets a deletion under way: one waits for the other', async () => {
    await store('race:a');
    const app = new Client(daemon.database.urlAs('svc_app'));
    await app.connect();
    await app.query(`begin; select set_config('svc.tenant_id', 'here', true)`);
    await app.query(`delete from fact where tenant_id = 'here' and entity = 'race:a'`);
    const placing = place('race:');
    for (let waits = 0; waits === 0;) waits = await count(`pg_locks where locktype = 'advisory' and not granted`);
    await app.query('commit');
    await app.end();
    await release(await placing);
    expect(await count(`fact where tenant_id = 'here' and entity = 'race:a'`)).toBe(0);
  });
});

describe('deletions in the database itself', () => {
  it('by a role of the product fail as a whole', async () => {
    await store('app:a');
    const hold = await place('app:');
    for (const role of ['svc_app', 'svc_operator'] as const) {
      const client = new Client(daemon.database.urlAs(role));
      await client.connect();
      await client.query(`select set_config('svc.tenant_id', 'here', false)`);
      for (const statement of [
        `delete from fact where entity = 'app:a'`,
        `update fact set value = '' where entity = 'app:a'`,
        `update fact set entity = 'elsewhere' where entity = 'app:a'`,
        `update fact set tenant_id = 'here2' where entity = 'app:a'`,
      ])
        await expect(client.query(statement), statement).rejects.toMatchObject({
          code: 'SVH01',
          detail: `["${hold}"]`,
        });
      await client.end();
    }
    expect(await count(`fact where entity = 'app:a' and value = 'v'`)).toBe(1);
    await release(hold);
  });

  it('by the owner or a superuser leave the row, warn, and are receipted by the daemon', async () => {
    await store('sql:a');
    await store('free:a');
    const hold = await place('sql:');
    warnings.length = 0;
    // The owner reaches rows by the policy of erasures alone; whoever can do that is not let past either.
    await owner.query(`begin; set local svc.erased_tenant = 'here'`);
    expect((await owner.query(`delete from fact where entity = 'sql:a'`)).rowCount).toBe(0);
    await owner.query('commit');
    await superuser.query('set session_replication_role = replica');
    expect(
      (await superuser.query(`delete from fact where tenant_id = 'here' and entity in ('sql:a', 'free:a')`)).rowCount,
    ).toBe(1);
    await superuser.query('set session_replication_role = origin');
    expect((await superuser.query(`update fact set value = 'x' where entity = 'sql:a'`)).rowCount).toBe(0);
    expect(warnings.filter((text) => text.includes(hold))).toHaveLength(3);
    await expect(superuser.query('truncate fact cascade')).rejects.toMatchObject({ code: 'SVH01' });
    await expect(superuser.query('truncate legal_hold')).rejects.toMatchObject({ code: 'SVH01' });

    await daemon.app.get(RefusedDeletionsSweep, { strict: false }).sweep();
    const receipts = await daemon.database.query<{ actor: string; cose: Buffer }>(
      `select actor, cose from receipt where kind = 'hold.refused_deletion' and subject = $1 order by seq`,
      [hold],
    );
    const names = await Promise.all([owner, superuser].map((client) => client.query('select session_user as name')));
    expect(new Set(receipts.map(({ actor }) => actor))).toEqual(
      new Set(names.map(({ rows }) => `database:${rows[0].name}`)),
    );
    expect(openReceipt(receipts[0]!.cose).payload.body).toMatchObject({ entity: 'sql:a', table: 'fact' });
    expect((await here('GET', `/v1/legal-holds/${hold}`)).body.refused.attempts).toBe(4);
    await release(hold);
  });

  it('that would empty a table are refused as a whole, and receipted by the daemon in the tenants with holds', async () => {
    const hold = await place('emptied:');
    for (const client of [owner, superuser])
      await expect(client.query('truncate fact cascade')).rejects.toMatchObject({ code: 'SVH01' });
    const sweep = daemon.app.get(RefusedDeletionsSweep, { strict: false });
    await sweep.sweep();
    const receipts = () =>
      daemon.database.query<{ actor: string; tenant_id: string; cose: Buffer }>(
        `select actor, tenant_id, cose from receipt where kind = 'hold.refused_deletion' and subject = $1 order by seq`,
        [hold],
      );
    const { rows } = await superuser.query('select session_user as name');
    const found = await receipts();
    expect(found.map(({ actor, tenant_id }) => [actor, tenant_id])).toEqual([[`database:${rows[0].name}`, 'here']]);
    expect(openReceipt(found[0]!.cose).payload.body).toMatchObject({ table: 'fact', operation: 'truncate' });
    await sweep.sweep();
    expect(await receipts()).toHaveLength(1);
    await release(hold);
    const app = new Client(daemon.database.urlAs('svc_app'));
    await app.connect();
    await expect(app.query('select svc_take_truncation()')).rejects.toMatchObject({ code: '42501' });
    await app.end();
  });

  it('of a hold itself are refused, and so are changes of it', async () => {
    const hold = await place('self:');
    for (const statement of [
      `delete from legal_hold where hold_id = '${hold}'`,
      `update legal_hold set entity_prefixes = '{none}' where hold_id = '${hold}'`,
      `update legal_hold set released_at = now(), released_by = 'x', release_receipt = place_receipt where hold_id = '${hold}'`,
    ])
      await expect(superuser.query(statement), statement).rejects.toMatchObject({ code: 'SVH02' });
    await release(hold);
  });
});

describe('every table with content', () => {
  it('has its trigger fire under a hold of the whole tenant', async () => {
    const hold = await place();
    const tables = (
      await superuser.query(`select tgrelid::regclass::text as name from pg_trigger where tgname = 'legal_hold'`)
    ).rows;
    const counts = await here('GET', `/v1/legal-holds/${hold}`);
    expect(counts.status).toBe(200);
    for (const { name } of tables) {
      const rows = await count(`${name} where tenant_id = 'here'`);
      await superuser.query(`delete from ${name} where tenant_id = 'here'`);
      expect([name, await count(`${name} where tenant_id = 'here'`)]).toEqual([name, rows]);
    }
    await release(hold);
  });
});
