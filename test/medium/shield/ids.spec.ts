import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../../src/common/database/run-migrations.js';
import { MIGRATIONS } from '../../../src/migrations/index.js';
import { caller, startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { emptyDatabase } from '../../kit/database.js';
import { rawRequest } from '../../kit/raw-request.js';
import {
  anotherKey,
  document,
  expectStatus,
  lift,
  mark,
  newDigest,
  resolve,
  through,
  trust,
  verdict,
  withToken,
} from './given.js';

let api: TestApi;
let second: TestApi;
let acme: TestTenant;
let approver: TestTenant;
/** The same tenant at the second server. */
let acmeThere: TestTenant;
beforeAll(async () => {
  api = await startApi();
  second = await startApi({ database: api.database });
  acme = api.tenant;
  approver = await anotherKey(api, acme);
  acmeThere = { ...acme, call: caller(second.url, acme.tenantId, acme.apiKey) };
});
afterAll(async () => {
  await second.close();
  await api.close();
});

const ingest = (headers = {}, tenant = acme) => tenant.call('POST', '/v1/ingest', document(tenant), headers);

describe('the case of an id', () => {
  it('lets nothing pass: a blocked server and a revoked definition are refused in capitals too, everywhere', async () => {
    const revoked = newDigest();
    await trust(acme, 'trust/publishers', { publisherId: 'Acme-Tools' });
    expect((await trust(acme, 'servers', { serverId: 'Files', publisherId: 'ACME-TOOLS' })).body).toMatchObject({
      serverId: 'files',
      publisherId: 'acme-tools',
    });
    expect(verdict(await ingest(through('FILES', revoked)))).toBe('202');
    const status = (serverId: string, to: string) =>
      expectStatus(200, acme.call('POST', `/v1/shield/servers/${serverId}/status`, { status: to, reason: 'Odd' }));
    await status('fILES', 'blocked');
    for (const name of ['files', 'Files', 'FILES'])
      expect(verdict(await ingest(through(name), acmeThere))).toBe('403 ShieldDenied blocked_server');
    expect(verdict(await acme.call('GET', '/v1/documents', undefined, through('FILES')))).toBe(
      '403 ShieldDenied blocked_server',
    );
    await status('files', 'active');
    const upper = revoked.toUpperCase();
    await expectStatus(200, acme.call('POST', '/v1/shield/trust/digests/revoke', { digest: upper, reason: 'Leaks' }));
    for (const name of [revoked, upper, `sha256:${upper.slice(7)}`])
      expect(verdict(await ingest(through(undefined, name)))).toBe('403 ShieldDenied revoked_digest');
    expect(
      verdict(
        await acme.call('POST', '/v1/shield/servers', {
          serverId: 'f',
          publisherId: 'acme-tools',
          toolDigests: [upper],
        }),
      ),
    ).toBe('409 DigestRevoked');
    await trust(acme, 'trust/publishers', { publisherId: 'ACME-tools', status: 'revoked' });
    expect(verdict(await ingest(through('FILES')))).toBe('403 ShieldDenied revoked_publisher');
    const listed = async (path: string) => (await acme.call('GET', path)).body;
    expect((await listed('/v1/shield/servers?publisherId=Acme-TOOLS')).servers).toHaveLength(1);
    const { publishers } = await listed('/v1/shield/trust/publishers');
    expect(publishers.filter(({ publisherId }: any) => publisherId.toLowerCase() === 'acme-tools')).toMatchObject([
      { publisherId: 'acme-tools', name: 'acme-tools', status: 'revoked' },
    ]);
  });

  it('does not matter to a kill switch, nor to an approval', async () => {
    const stops = async (scope: string, target: string, headers = {}) => {
      const body = { scope, target, reason: 'Stop' };
      const switched = await expectStatus(201, acme.call('POST', '/v1/shield/kill-switches', body));
      expect([target, verdict(await ingest(headers))]).toEqual([target, '403 ShieldDenied kill_switch']);
      await lift(approver, switched);
    };
    await stops('server', 'Shop', through('sHOP'));
    await stops('principal', `KEY:${acme.keyId.toUpperCase()}`);
    const marked = await mark(acme);
    const body = document(acme);
    const asked = await acme.call('POST', '/v1/ingest', body, through('Shop'));
    const { approvalToken } = (await resolve(approver, asked.body.approvalRequestId)).body;
    const again = await acme.call('POST', '/v1/ingest', body, withToken(approvalToken, through('SHOP')));
    expect(verdict(again)).toBe('202');
    await lift(acme, marked);
  });

  it('is all that is passed over: another name, two names and letters that no header carries are refused', async () => {
    const issue = ({ status, body }: Answer) => [status, body.issues?.[0].path];
    const named = (serverId: string) => acme.call('POST', '/v1/shield/servers', { serverId, publisherId: 'shelf' });
    expect(issue(await named('ﬁles'))).toEqual([400, 'body.serverId']);
    expect(issue(await named(' files'))).toEqual([400, 'body.serverId']);
    const target = { scope: 'server', target: 'fílés', reason: 'Stop' };
    expect(issue(await acme.call('POST', '/v1/shield/kill-switches', target))).toEqual([400, 'body.target']);
    expect(issue(await ingest(through('fílés')))).toEqual([400, 'headers.x-shield-server-id']);
    const headers: Record<string, any> = {
      ...{ 'x-tenant-id': acme.tenantId, 'x-api-key': acme.apiKey, 'x-idempotency-key': randomUUID() },
      ...{ 'content-type': 'application/json', 'x-shield-server-id': ['files', 'other'] },
    };
    const { status, text } = await rawRequest(api.url, 'POST', '/v1/ingest', headers, JSON.stringify(document(acme)));
    const twice = { status, body: JSON.parse(text) } as Answer;
    expect(issue(twice)).toEqual([400, 'headers.x-shield-server-id']);
  });
});

describe('the migration', () => {
  it('makes one of rows that differ by case alone, the strictest of each, and leaves the others alone', async () => {
    const database = await emptyDatabase();
    const owner = new Client({ connectionString: database.superuserUrl });
    try {
      const upTo = MIGRATIONS.findIndex(({ name }) => name.startsWith('SetShieldPolicies'));
      const migrations = MIGRATIONS.slice(0, upTo);
      const source = new DataSource({
        type: 'postgres',
        url: database.url,
        migrations,
        migrationsTableName: 'migration',
      });
      await source.initialize();
      await source.runMigrations({ transaction: 'each' });
      await source.destroy();
      await owner.connect();
      await owner.query(ROWS_OF_BEFORE);
      await migrate({ ownerUrl: database.url });
      const read = async (sql: string) => (await owner.query({ text: sql, rowMode: 'array' })).rows;
      expect(
        await read(
          `select tenant_id, publisher_id, status, encode(public_key, 'hex'), reason from shield_publisher order by 1, 2`,
        ),
      ).toEqual([
        ['one', 'acme', 'revoked', '01'.repeat(32), 'sold'],
        ['one', 'shelf', 'trusted', null, 'r'],
        ['two', 'acme', 'trusted', null, 'r'],
      ]);
      expect(
        await read(
          'select tenant_id, server_id, publisher_id, status, tool_digests, reason from shield_server order by 1, 2',
        ),
      ).toEqual([
        ['one', 'files', 'shelf', 'blocked', ['sha256:pinned'], 'leaks'],
        ['one', 'shop', 'acme', 'quarantined', [], 'r'],
        ['two', 'files', 'acme', 'active', [], 'r'],
      ]);
      expect(await read(`select distinct publisher_id from shield_digest`)).toEqual([['acme']]);
      expect(await read('select scope, target from shield_kill_switch order by 1, 2')).toEqual([
        ['action', 'POST /v1/ingest'],
        ['publisher', 'acme'],
        ['server', 'files'],
      ]);
      await expect(
        owner.query(`insert into shield_server (tenant_id, server_id, publisher_id, tool_digests, status, reason, changed_by)
          values ('one', 'Files', 'acme', '{}', 'active', 'r', 'key:1')`),
      ).rejects.toThrow('shield_server_lower_case');
    } finally {
      await owner.end();
      await database.drop();
    }
  });
});

const ROWS_OF_BEFORE = `
  insert into tenant (tenant_id, tier) values ('one', 'team'), ('two', 'team');
  insert into shield_publisher (tenant_id, publisher_id, name, public_key, status, reason, changed_by, changed_at) values
    ('one', 'Acme', 'A', decode(repeat('01', 32), 'hex'), 'trusted', 'r', 'key:1', now()),
    ('one', 'acme', 'B', null, 'revoked', 'sold', 'key:1', now() - interval '1 day'),
    ('one', 'shelf', 'Shelf', null, 'trusted', 'r', 'key:1', now()),
    ('two', 'Acme', 'A', null, 'trusted', 'r', 'key:1', now());
  insert into shield_server (tenant_id, server_id, publisher_id, tool_digests, status, reason, changed_by) values
    ('one', 'Files', 'shelf', '{sha256:pinned}', 'active', 'r', 'key:1'),
    ('one', 'FILES', 'shelf', '{}', 'blocked', 'leaks', 'key:1'),
    ('one', 'files', 'shelf', '{}', 'quarantined', 'r', 'key:1'),
    ('one', 'shop', 'acme', '{}', 'active', 'r', 'key:1'),
    ('one', 'Shop', 'shelf', '{}', 'quarantined', 'odd', 'key:1'),
    ('two', 'files', 'Acme', '{}', 'active', 'r', 'key:1');
  insert into shield_digest (tenant_id, digest, publisher_id, status, reason, changed_by) values
    ('one', 'sha256:' || repeat('a', 64), 'Acme', 'trusted', 'r', 'key:1');
  insert into shield_kill_switch (tenant_id, kill_switch_id, scope, target, mode, include_reads, reason, created_by) values
    ('one', gen_random_uuid(), 'server', 'FILES', 'deny', false, 'r', 'key:1'),
    ('one', gen_random_uuid(), 'publisher', 'Acme', 'deny', false, 'r', 'key:1'),
    ('one', gen_random_uuid(), 'action', 'POST /v1/ingest', 'deny', false, 'r', 'key:1');
`;
