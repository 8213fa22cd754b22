import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { drill } from './given.js';

let api: TestApi;
let acme: TestTenant;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
});
afterAll(() => api.close());

/** Breaks the mechanism in the database itself, as the owner of the schema. */
async function asOwner(sql: string): Promise<void> {
  const client = new Client({ connectionString: api.database.superuserUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function broken<T>({ by, mend }: { by: string; mend: string }, work: () => Promise<T>): Promise<T> {
  await asOwner(by);
  try {
    return await work();
  } finally {
    await asOwner(mend);
  }
}

const trigger = (table: string, when: string, body: string) => ({
  by: `create function sabotage() returns trigger language plpgsql as $$ begin ${body} return new; end $$;
       create trigger a_sabotage before ${when} on ${table} for each row execute function sabotage();`,
  mend: `drop trigger a_sabotage on ${table}; drop function sabotage();`,
});

describe('an incident drill', () => {
  it('fails when a kill switch does not hold', async () => {
    const sabotage = trigger('shield_kill_switch', 'insert', `new.lifted_by := 'nobody'; new.lifted_at := now();`);
    const done = await broken(sabotage, () => drill(acme, 'kill_switch'));
    expect(done).toMatchObject({ status: 'completed', detected: false, detectionMs: null, passed: false });
    expect(done.steps.find(({ ok }: any) => !ok)).toMatchObject({
      name: 'both are refused',
      detail: 'allow, read allow',
    });
  }, 30_000);

  it('fails when other processes are not notified of a kill switch', async () => {
    // A tenant whose switches are in no cache yet: the drill fills it first.
    const unasked = await api.addTenant('unasked');
    const done = await broken(
      {
        by: 'alter table shield_kill_switch disable trigger announce_change',
        mend: 'alter table shield_kill_switch enable trigger announce_change',
      },
      () => drill(unasked, 'kill_switch'),
    );
    expect(done).toMatchObject({ status: 'completed', passed: false });
  }, 30_000);

  it('fails when an approval can be used twice', async () => {
    const sabotage = trigger(
      'shield_approval',
      'update',
      `if new.state = 'used' then new.state := 'approved'; new.used_at := null; end if;`,
    );
    expect(await broken(sabotage, () => drill(acme, 'approval_replay'))).toMatchObject({
      detected: false,
      passed: false,
    });
  }, 30_000);

  it('fails when time does not end an approval, or a revocation a definition', async () => {
    const timeless = trigger('shield_approval', 'update', `new.expires_at := old.expires_at;`);
    expect(await broken(timeless, () => drill(acme, 'expired_approval'))).toMatchObject({ passed: false });
    const lenient = trigger('shield_digest', 'update', `new.status := 'trusted';`);
    expect(await broken(lenient, () => drill(acme, 'revoked_digest'))).toMatchObject({
      detected: false,
      passed: false,
    });
  }, 40_000);
});
