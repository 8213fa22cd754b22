import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { ingested } from './given.js';

let api: TestApi;
let publisher: TestTenant;
let entitled: TestTenant;
let unrelated: TestTenant;
let application: Client;

beforeAll(async () => {
  api = await startApi();
  publisher = api.tenant;
  entitled = await api.addTenant('entitled');
  unrelated = await api.addTenant('unrelated');
  for (const shareability of ['owner_only', 'entitled_only', 'public_safe']) {
    await ingested(publisher, { docId: shareability, shareability, content: `A ${shareability} passage.` });
  }
  await api.database.query(
    `insert into entitlement (tenant_id, publisher_tenant_id, corpus_id) values ('entitled', 'acme', 'handbook')`,
  );
  application = new Client(api.database.urlAs('svc_app'));
  await application.connect();
});
afterAll(async () => {
  await application.end();
  await api.close();
});

/** What the application's role sees of a table while a tenant is set, read straight from the database. */
async function seen(tenantId: string, sql: string): Promise<unknown[]> {
  await application.query(`select set_config('svc.tenant_id', $1, false)`, [tenantId]);
  return (await application.query<{ value: unknown }>(sql)).rows.map((row) => row.value);
}

describe('stored passages', () => {
  it.each([
    ['acme', ['entitled_only', 'owner_only', 'public_safe']],
    ['entitled', ['entitled_only', 'public_safe']],
    ['unrelated', ['public_safe']],
    ['nobody-at-all', ['public_safe']],
    ['', []],
  ])('are visible to tenant %j as they are shared: %j', async (tenantId, visible) => {
    expect(await seen(tenantId, 'select doc_id as value from chunk order by 1')).toEqual(visible);
  });

  it('of another tenant can be read and not changed, shared or not', async () => {
    await application.query(`select set_config('svc.tenant_id', 'entitled', false)`);
    for (const statement of [`update chunk set content = 'x'`, 'delete from chunk']) {
      expect((await application.query(statement)).rowCount).toBe(0);
    }
    await expect(
      application.query(`insert into chunk select 'acme', 'chk_x', corpus_id, doc_id, version, ordinal, start_offset, end_offset, heading_path, title, url,
        content, content_hash, shareability, language, day, retired_at from chunk limit 1`),
    ).rejects.toThrow(/row-level security/);
  });

  it.each(['corpus', 'document', 'document_version', 'ingest'])(
    'come without a row of %s for anyone else',
    async (table) => {
      expect(await seen('entitled', `select count(*)::int as value from ${table}`)).toEqual([0]);
      expect(await seen('', `select count(*)::int as value from ${table}`)).toEqual([0]);
    },
  );
});

describe('documents and ingests of one tenant', () => {
  it('do not exist for another', async () => {
    const { ingestId } = await ingested(publisher, { docId: 'secret' });
    const answers = [
      await unrelated.call('GET', `/v1/ingest/${ingestId}`),
      await unrelated.call('GET', '/v1/documents/handbook/public_safe'),
      await unrelated.call('DELETE', '/v1/documents/handbook/public_safe'),
      await entitled.call('DELETE', '/v1/documents/handbook/entitled_only'),
    ];
    expect(answers.map(({ status, body }) => [status, body.type])).toEqual([
      [404, 'IngestUnknown'],
      [404, 'DocumentUnknown'],
      [404, 'DocumentUnknown'],
      [404, 'DocumentUnknown'],
    ]);
    expect((await unrelated.call('GET', '/v1/documents')).body).toEqual({ documents: [], next_cursor: null });
    expect((await unrelated.call('GET', '/v1/corpora')).body).toEqual({ corpora: [], next_cursor: null });
  });

  it('with the same names replace and delete only their own passages', async () => {
    await ingested(unrelated, { docId: 'public_safe', content: 'Of another tenant.', shareability: 'public_safe' });
    await ingested(unrelated, {
      docId: 'public_safe',
      content: 'Of another tenant, again.',
      shareability: 'public_safe',
    });
    expect((await unrelated.call('DELETE', '/v1/documents/handbook/public_safe')).status).toBe(200);
    const { body } = await publisher.call('GET', '/v1/documents/handbook/public_safe');
    expect([body.version, body.content]).toEqual([1, 'A public_safe passage.']);
    const [live] = await api.database.query(
      `select count(*)::int as n from chunk where tenant_id = 'acme' and doc_id = 'public_safe' and retired_at is null`,
    );
    expect(live).toEqual({ n: 1 });
  });
});
