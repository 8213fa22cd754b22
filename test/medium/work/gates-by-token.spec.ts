import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caller, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { claims, hs256, HS256_ENV } from '../daemon-auth/given.js';
import { anotherKey } from '../shield/given.js';
import { made, must, patch } from './given.js';

let api: TestApi;
let daemon: TestDaemon;
beforeAll(async () => {
  api = await startApi();
  const env = { ...HS256_ENV, SVCD_FEATURE_PASSPORT_MINT_REQUESTS: '1' };
  daemon = await startDaemon({ database: api.database, env });
});
afterAll(async () => {
  await daemon.close();
  await api.close();
});

/** Who works with a token. */
async function bearing(sub: string | undefined, passport_id?: string): Promise<DaemonCall> {
  const scope = 'admin:read admin:write facts:write';
  return daemon.as({ bearer: await hs256(claims({ sub, passport_id, scope, tenant_id: api.tenant.tenantId })) });
}

/** Who works with an API key of the tenant. */
const keyed =
  (apiKey: string): DaemonCall =>
  (method, path, body, headers = {}) =>
    daemon.as({})(method, path, body, { 'x-tenant-id': api.tenant.tenantId, 'x-api-key': apiKey, ...headers });
const byKey: DaemonCall = (...request) => keyed(api.tenant.apiKey)(...request);

/** A key that another key has made. */
async function keyMadeBy(maker: TestTenant['call']): Promise<{ apiKey: string; call: TestTenant['call'] }> {
  const { status, body } = await maker('POST', '/v1/org/api-keys', { label: 'made' });
  expect([status, body.detail]).toEqual([201, undefined]);
  return { apiKey: body.apiKey, call: caller(api.url, api.tenant.tenantId, body.apiKey) };
}

const IN_REVIEW = { state: 'in_review', assignee_passport: 'ada' };
const done = (by: DaemonCall, id: string, by_passport: string) => must(patch(by, id, { by_passport, state: 'done' }));

describe('work out of review', () => {
  it('waits where the same token, or one of its subject, names another passport', async () => {
    for (const asks of [await bearing('bob'), await bearing('bob', 'ada')])
      for (const [ends, name] of [
        [await bearing('bob'), 'zed'],
        [await bearing('bob', 'zed'), 'zed'],
      ] as const) {
        const { id } = await made(asks, IN_REVIEW);
        expect(await done(ends, id, name)).toMatchObject({ work: { state: 'in_review' }, queued: [{ to: 'done' }] });
      }
  });

  it('waits where it was claimed by the token, and where the API key is the same', async () => {
    for (const by of [await bearing('bob'), byKey]) {
      const { id } = await made(by, { state: 'ready', created_by_passport: 'eve' });
      const { lease } = await must(by('POST', `/v1/work/${id}/claim`, { by_passport: 'ada' }));
      const fence = { 'x-svc-fence': String(lease.fence) };
      await must(patch(by, id, { by_passport: 'eve', state: 'in_review' }, fence));
      expect((await done(by, id, 'zed')).queued).toHaveLength(1);
    }
  });

  it('waits for a token that names nobody', async () => {
    const { id } = await made(await bearing('bob', 'ada'), IN_REVIEW);
    expect((await done(await bearing(undefined), id, 'zed')).queued).toHaveLength(1);
  });

  it('ends by another, and by who is the same but never had it', async () => {
    const { id } = await made(await bearing('bob', 'ada'), IN_REVIEW);
    expect((await done(await bearing('eve', 'zed'), id, 'zed')).work.state).toBe('done');
    const other = await made(await bearing('eve'), { ...IN_REVIEW, created_by_passport: 'eve' });
    expect((await done(await bearing('eve'), other.id, 'eve')).work.state).toBe('done');
  });

  it('is not let through by a key that who asked has made, or by one that such a key made', async () => {
    const first = await keyMadeBy(api.tenant.call);
    const second = await keyMadeBy(first.call);
    const other = await anotherKey(api, api.tenant);
    const { id } = await made(byKey, { ...IN_REVIEW, created_by_passport: 'eve' });
    const { queued } = await done(byKey, id, 'ada');
    const approve = (by: DaemonCall) =>
      by('POST', `/v1/work/gate/${queued[0].action_id}/approve`, { approver_passport: 'zed' });
    for (const { apiKey } of [first, second])
      expect(await approve(keyed(apiKey))).toMatchObject({ status: 403, body: { code: 'MAY_NOT_DECIDE' } });
    expect((await approve(keyed(other.apiKey))).status).toBe(200);
    // Who made the key that asks is another.
    const again = await made(keyed(first.apiKey), { ...IN_REVIEW, created_by_passport: 'eve' });
    const asked = await done(keyed(first.apiKey), again.id, 'ada');
    const path = `/v1/work/gate/${asked.queued[0].action_id}/approve`;
    expect((await byKey('POST', path, { approver_passport: 'zed' })).status).toBe(200);
  });

  it('is not let through by another passport of the subject that asked', async () => {
    const { id } = await made(await bearing('bob', 'ada'), IN_REVIEW);
    const { queued } = await done(await bearing('bob', 'ada'), id, 'ada');
    const approve = (by: DaemonCall) => by('POST', `/v1/work/gate/${queued[0].action_id}/approve`, {});
    for (const passport of [undefined, 'zed']) expect((await approve(await bearing('bob', passport))).status).toBe(403);
    expect((await approve(await bearing('eve', 'zed'))).status).toBe(200);
  });
});

describe('a request for a passport', () => {
  const ask = async (by: DaemonCall, passport_id: string): Promise<string> =>
    (await must(by('POST', '/v1/passport/mint-requests', { passport_id }))).mint_request.mint_request_id;
  const decide = (by: DaemonCall, id: string, decision = 'approve') =>
    by('POST', `/v1/passport/mint-requests/${id}/${decision}`, {});

  it('is not decided on by the subject that asked, by whatever passport, nor by the passport itself', async () => {
    for (const [index, passport] of ['p1', undefined].entries()) {
      const wanted = `wanted-${index}`;
      const id = await ask(await bearing('bob', passport), wanted);
      for (const by of [await bearing('bob'), await bearing('bob', 'p2'), await bearing('zed', wanted)])
        for (const decision of ['approve', 'reject'])
          expect(await decide(by, id, decision)).toMatchObject({ status: 403, body: { code: 'MAY_NOT_MINT' } });
      expect((await decide(await bearing('eve', 'zed'), id)).status).toBe(200);
    }
  });

  it('is not decided on by a key that who asked has made', async () => {
    const { apiKey } = await keyMadeBy(api.tenant.call);
    const { body } = await byKey('POST', '/v1/passport/mint-requests', { passport_id: 'by-key', by_passport: 'eve' });
    const path = `/v1/passport/mint-requests/${body.mint_request.mint_request_id}/approve`;
    const refused = await keyed(apiKey)('POST', path, { approver_passport: 'zed' });
    expect(refused).toMatchObject({ status: 403, body: { code: 'MAY_NOT_MINT' } });
    expect((await decide(await bearing('ida', 'ida'), body.mint_request.mint_request_id)).status).toBe(200);
  });
});
