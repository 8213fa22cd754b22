import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { LogSequencer } from '../../../src/common/evidence-log/log-sequencer.js';
import { TenantErasureSweep } from '../../../src/modules/access/tenants/tenant-erasure.sweep.js';
import { caller, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { emptyDatabase, type TestDatabase } from '../../kit/database.js';
import { until } from '../../kit/peers.js';
import { ingest } from '../../medium/retrieval/given.js';
import { SvcCommand } from './given.js';

let api: TestApi;
let svc: SvcCommand;
let beta: TestTenant;
let backup: string;
const restored: { database: TestDatabase; svc: SvcCommand; api?: TestApi }[] = [];

beforeAll(async () => {
  api = await startApi();
  svc = new SvcCommand(api.database);
  beta = await api.addTenant('beta');
  await ingest(beta, [{ docId: 'a', corpusId: 'c', content: 'Quokkas smile at everybody.' }]);
  // Released since, of which the backup knows nothing.
  await api.database.query(
    `insert into legal_hold (tenant_id, hold_id, reason, placed_by, place_receipt)
     values ('beta', gen_random_uuid(), 'a dispute', 'key:1', gen_random_uuid())`,
  );
  backup = join(svc.folder, 'backup.tar.gz');
  await svc.json('backup', backup);
  await asSuperuser(
    api.database,
    `set role svc_operator;
     update legal_hold set released_by = 'key:1', released_at = now(), release_receipt = gen_random_uuid();`,
  );
}, 240_000);
afterAll(async () => {
  for (const one of restored) {
    await one.api?.close();
    await one.database.drop();
    one.svc.remove();
  }
  await api.close();
  svc.remove();
});

async function asSuperuser(database: TestDatabase, sql: string): Promise<any[]> {
  const client = new Client({ connectionString: database.superuserUrl });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A server of its own, of the backup; it says what the restore said. */
async function restore(settings: Record<string, string>, ...words: string[]) {
  const database = (await emptyDatabase()) as TestDatabase;
  const one: (typeof restored)[number] = { database, svc: new SvcCommand(database, settings) };
  restored.push(one);
  const said = await one.svc.json('restore', backup, '--without-checkpoint', ...words);
  one.api = await startApi({ database, env: settings });
  return { ...one, api: one.api, said, call: caller(one.api.url, 'beta', beta.apiKey) };
}

const standingOf = (database: TestDatabase) =>
  asSuperuser(
    database,
    `select state, erased_at is not null as erased, (select count(*)::int from chunk where tenant_id = 'beta') as chunks,
       (select count(*)::int from legal_hold where tenant_id = 'beta') as holds from tenant where tenant_id = 'beta'`,
  );

describe('a tenant that was erased after the backup', { timeout: 300_000 }, () => {
  it('is entered into the list of erasures, once its own receipts say that it is deleted', async () => {
    const list = join(svc.folder, 'checkpoints', 'erasures');
    await svc.json('tenant', 'delete', 'beta', '--yes');
    expect(existsSync(list) ? readdirSync(list) : []).toEqual([]);
    await svc.json('tenant', 'erase', 'beta', '--now');
    expect(readdirSync(list)).toEqual([expect.stringMatching(/^[0-9a-f-]{36}\.json$/)]);
  });

  it('comes back deleted, under holds of before its erasure too, and is erased again', async () => {
    const settings = { SVC_CHECKPOINT_DIR: join(svc.folder, 'checkpoints') };
    const { database, api: again, said, call } = await restore(settings);
    expect(said).toMatchObject({ erasures: 0, deleted_tenants: ['beta'] });
    expect((await call('GET', '/v1/corpora')).status).toBe(401);
    // The sweep of the start may be at it: then this one leaves the rest to it.
    await again.app.get(TenantErasureSweep).sweep();
    await until(async () => (await standingOf(database))[0].erased);
    expect(await standingOf(database)).toEqual([{ state: 'deleted', erased: true, chunks: 0, holds: 0 }]);
    await again.app.get(LogSequencer).integrate();
    const audit = again.app.get(EvidenceAudit);
    expect([(await audit.verifyChain()).faults, (await audit.verifyLog()).faults]).toEqual([[], []]);
  });

  it('comes back alive where the operator says that nothing was erased', async () => {
    const { database, said, call } = await restore({}, '--without-erasures');
    expect(said).toMatchObject({ erasures: 0, deleted_tenants: [] });
    expect((await call('GET', '/v1/corpora')).status).toBe(200);
    expect(await standingOf(database)).toMatchObject([{ state: 'active', erased: false }]);
  });
});

describe('a tenant that somebody marked as deleted past the application', () => {
  it('is not entered, so that a restore brings it back', async () => {
    const { database, svc: command, api: again } = restored.at(-1)!;
    await asSuperuser(
      database,
      `update tenant set state = 'deleted', erase_after = now(), erasure_began_at = now(), erased_clearing = 0
       where tenant_id = 'beta'`,
    );
    await again!.app.get(TenantErasureSweep).sweep();
    expect(existsSync(join(command.folder, 'checkpoints', 'erasures'))).toBe(false);
  });
});
