import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TenantErasureService } from '../../../src/modules/access/tenants/tenant-erasure.service.js';
import { TenantErasureSweep } from '../../../src/modules/access/tenants/tenant-erasure.sweep.js';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { asSuperuser } from '../../kit/database.js';
import { ingest } from '../retrieval/given.js';

let api: TestApi;
let daemon: TestDaemon;
let acme: TestTenant;
beforeAll(async () => {
  api = await startApi();
  daemon = await startDaemon({ database: api.database, env: { SVCD_FEATURE_LEGAL_HOLD: '1' } });
  acme = api.tenant;
}, 120_000);
afterAll(async () => {
  await daemon.close();
  await api.close();
});

const place = async (tenant_id: string, ...entity_prefixes: string[]): Promise<string> => {
  const { status, body } = await daemon.call('POST', '/v1/legal-holds', {
    tenant_id,
    reason: 'Matter',
    entity_prefixes,
  });
  expect([status, body.detail]).toEqual([201, undefined]);
  return body.hold.id;
};
const refusalsOf = (hold: string) =>
  api.database.query<{ actor: string; tenant_id: string }>(
    `select actor, tenant_id from receipt where kind = 'hold.refused_deletion' and subject = $1`,
    [hold],
  );

describe('a document of the tenant API', () => {
  it('is not deleted while a hold pins it; new versions are taken, and keep the one before', async () => {
    const send = (docId: string, content: string) => ingest(acme, [{ docId, corpusId: 'c', content }]);
    await send('d', 'Wombats dig at night.');
    await send('e', 'Numbats eat termites.');
    const hold = await place(acme.tenantId, 'document:c/d');
    const refused = await acme.call('DELETE', '/v1/documents/c/d');
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({ code: 'LEGAL_HOLD', hold_ids: [hold], type: 'LegalHold' }),
    ]);
    expect((await refusalsOf(hold)).map(({ actor, tenant_id }) => [actor.split(':')[0], tenant_id])).toEqual([
      ['key', acme.tenantId],
    ]);
    await send('d', 'Wombats sleep all day.');
    const versions = await api.database.query<{ content: string }>(
      `select content from document_version where tenant_id = $1 and doc_id = 'd' order by version`,
      [acme.tenantId],
    );
    expect(versions.map(({ content }) => content)).toEqual(['Wombats dig at night.', 'Wombats sleep all day.']);
    expect((await acme.call('DELETE', '/v1/documents/c/e')).status).toBe(200);
    expect((await daemon.call('DELETE', `/v1/legal-holds/${hold}`)).status).toBe(200);
    expect((await acme.call('DELETE', '/v1/documents/c/d')).status).toBe(200);
  });
});

describe('a deleted tenant', () => {
  it('is kept whole while a hold of it is active, others are erased, and it is erased after the release', async () => {
    const [held, free] = [await api.addTenant('held'), await api.addTenant('free')];
    for (const tenant of [held, free]) await ingest(tenant, [{ docId: 'd', corpusId: 'c', content: 'Quolls hunt.' }]);
    const hold = await place('held', 'document:c/');
    await asSuperuser(
      api.database,
      `update tenant set state = 'deleted', state_since = now() - interval '31 days', erase_after = now() - interval '1 day'
       where tenant_id in ('held', 'free')`,
    );
    const sweep = api.app.get(TenantErasureSweep, { strict: false });
    const erasure = api.app.get(TenantErasureService, { strict: false });
    const chunksOf = async (tenant: string) =>
      (await api.database.query('select from chunk where tenant_id = $1', [tenant])).length;
    await sweep.sweep();
    expect([await chunksOf('held'), await chunksOf('free')]).toEqual([1, 0]);
    expect((await refusalsOf(hold)).map(({ actor }) => actor)).toEqual(['svc:erasure']);
    await expect(erasure.erase('held')).rejects.toMatchObject({ facts: { hold_ids: [hold] } });
    const [{ began }] = (await api.database.query<{ began: Date | null }>(
      `select erasure_began_at as began from tenant where tenant_id = 'held'`,
    )) as [{ began: Date | null }];
    expect(began).toBeNull();
    // Past the service, by the function that erases: it refuses too.
    await asSuperuser(
      api.database,
      `update tenant set erasure_began_at = now(), erased_clearing = 0 where tenant_id = 'held'`,
    );
    for (const statement of [
      `select svc_erase_rows('held', 'chunk', 10)`,
      `select svc_erase_records('held', array(select receipt_id from receipt where tenant_id = 'held'), '{}')`,
    ])
      await expect(api.database.query(statement), statement).rejects.toMatchObject({ code: 'SVH01' });

    await asSuperuser(
      api.database,
      `update tenant set state = 'active', erase_after = null, erasure_began_at = null, erased_clearing = null where tenant_id = 'held'`,
    );
    expect((await daemon.call('DELETE', `/v1/legal-holds/${hold}`)).status).toBe(200);
    await asSuperuser(
      api.database,
      `update tenant set state = 'deleted', erase_after = now() - interval '1 day' where tenant_id = 'held'`,
    );
    await sweep.sweep();
    expect(await chunksOf('held')).toBe(0);
    expect(await api.database.query(`select from legal_hold where tenant_id = 'held'`)).toEqual([]);
  });
});

describe('readiness', () => {
  it('names a trigger that is disabled', async () => {
    // An answer is kept for a moment.
    const look = async () => JSON.stringify((await daemon.call('GET', '/readyz')).body);
    const until = async (isSo: () => Promise<boolean>) => {
      while (!(await isSo())) await sleep(100);
    };
    await asSuperuser(api.database, 'alter table document disable trigger legal_hold');
    await until(async () => (await look()).includes('legal_hold on document'));
    await asSuperuser(api.database, 'alter table document enable always trigger legal_hold');
    await until(async () => !(await look()).includes('legal_hold on document'));
  });
});
