import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { caller, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { startTools, type TestTools } from '../../kit/tools.js';
import {
  anotherKey,
  callByRpc,
  document,
  drill,
  expectStatus,
  lift,
  mark,
  newDigest,
  POLICY_OFF,
  putPolicy,
  resolve,
  setPolicy,
  through,
  trust,
  verdict,
  withToken,
} from './given.js';

let api: TestApi;
let second: TestApi;
let tools: TestTools;
let acme: TestTenant;
let approver: TestTenant;
/** The same tenant at the second server. */
let acmeThere: TestTenant;
beforeAll(async () => {
  api = await startApi({ env: { SVC_DATABASE_POOL_SIZE: '16' } });
  second = await startApi({ database: api.database });
  tools = await startTools(api);
  acme = api.tenant;
  approver = await anotherKey(api, acme);
  acmeThere = { ...acme, call: caller(second.url, acme.tenantId, acme.apiKey) };
});
afterEach(async () => {
  await setPolicy(acme, POLICY_OFF);
});
afterAll(async () => {
  await tools.close();
  await second.close();
  await api.close();
});

const set = (members: object, tenant = acme) => setPolicy(tenant, members);
const policyOf = async (tenant = acme) => (await expectStatus(200, tenant.call('GET', '/v1/shield/policy'))).body;
const ingest = (headers = {}, tenant = acme) => tenant.call('POST', '/v1/ingest', document(tenant), headers);
const tip = (agentId: string, credits: number, tenant = acme) =>
  tenant.call('POST', '/v1/economy/tip-platform', { agentId, credits });

describe('the policy', () => {
  it('is off until it is set; what is left out stays; each change is a version, an event and a receipt', async () => {
    const fresh = await api.addTenant('fresh');
    expect(await policyOf(fresh)).toEqual({ ...POLICY_OFF, policyVersion: 1 });
    const window = { credits: 500, seconds: 3600 };
    expect((await set({ requireServerId: true, spendWindow: window }, fresh)).body).toEqual({
      ...POLICY_OFF,
      requireServerId: true,
      spendWindow: window,
      policyVersion: 2,
    });
    await set({ requireUiIntegrity: true }, fresh);
    const now = { ...POLICY_OFF, requireServerId: true, requireUiIntegrity: true, spendWindow: window };
    expect(await policyOf(fresh)).toEqual({ ...now, policyVersion: 3 });
    const { body } = await fresh.call('GET', '/v1/shield/capabilities');
    expect(body).toMatchObject({ policy: now, policyVersion: 3, spendingThresholdCredits: 100 });
    const events = await api.database.query<{ data: object }>(
      `select data from outbox_event where tenant_id = 'fresh' and kind = 'shield.policy_changed' order by position`,
    );
    expect(events.map(({ data }) => data)).toEqual([
      expect.objectContaining({ requireServerId: true, requireUiIntegrity: false, policyVersion: 2 }),
      { ...now, reason: 'Reviewed', policyVersion: 3, actor: `key:${fresh.keyId}` },
    ]);
    const receipts = await api.database.query(
      `select subject from receipt where tenant_id = 'fresh' and kind = 'shield.policy_changed'`,
    );
    expect(receipts).toEqual([{ subject: 'policy' }, { subject: 'policy' }]);
  });

  it('takes a change once a key, and refuses what means nothing by its name', async () => {
    const headers = { 'x-idempotency-key': randomUUID() };
    const change = () => acme.call('PUT', '/v1/shield/policy', { reason: 'r', requireToolDigest: true }, headers);
    const first = await expectStatus(200, change());
    expect((await expectStatus(200, change())).body).toEqual(first.body);
    expect((await policyOf()).policyVersion).toBe(first.body.policyVersion);
    for (const [members, path] of [
      [{}, 'body'],
      [{ requireServerId: 'yes' }, 'body.requireServerId'],
      [{ requireServerID: true }, 'body.requireServerID'],
      [{ spendWindow: { credits: 500 } }, 'body.spendWindow.seconds'],
      [{ spendWindow: { credits: -1, seconds: 60 } }, 'body.spendWindow.credits'],
      [{ spendWindow: { credits: 1, seconds: 2_592_001 } }, 'body.spendWindow.seconds'],
      [{ requireServerId: true, reason: '' }, 'body.reason'],
    ] as const) {
      const refused = await putPolicy(acme, members);
      expect([members, refused.status, refused.body.issues?.[0].path]).toEqual([members, 400, path]);
    }
  });

  it('is its tenant’s alone', async () => {
    const other = await api.addTenant('other');
    await set({ requireServerId: true, requireToolDigest: true, spendWindow: { credits: 0, seconds: 60 } }, other);
    expect(verdict(await ingest({}, other))).toBe('403 ShieldDenied missing_server_id');
    expect(verdict(await ingest())).toBe('202');
    expect(verdict(await tip('alone', 10))).toBe('201');
    expect(await policyOf()).toMatchObject(POLICY_OFF);
    await set({ ...POLICY_OFF, spendWindow: { credits: 15, seconds: 60 } });
    await set(POLICY_OFF, other);
    expect(verdict(await tip('alone', 10, other))).toBe('201');
  });

  it('voids what was approved under the one before', async () => {
    const marked = await mark(acme);
    const asked = await ingest();
    await set({ requireUiIntegrity: true });
    expect(verdict(await resolve(approver, asked.body.approvalRequestId))).toBe('409 ApprovalNotPending');
    await lift(acme, marked);
  });
});

describe('a mutation that names nothing', () => {
  it('is refused in every process where the tenant wants a name; reads are not', async () => {
    await set({ requireServerId: true });
    for (const tenant of [acme, acmeThere])
      expect(verdict(await ingest({}, tenant))).toBe('403 ShieldDenied missing_server_id');
    expect((await ingest()).body.denial.reason).toContain('x-shield-server-id');
    expect(verdict(await ingest(through('')))).toBe('403 ShieldDenied missing_server_id');
    expect(verdict(await ingest(through('files')))).toBe('202');
    await set({ requireToolDigest: true });
    expect(verdict(await ingest(through('files'), acmeThere))).toBe('403 ShieldDenied missing_tool_digest');
    expect(verdict(await ingest(through('files', newDigest()), acmeThere))).toBe('202');
    expect(verdict(await acmeThere.call('POST', '/v1/retrieve', { query: 'lightshelf' }))).toBe('200');
    expect(verdict(await acme.call('GET', '/v1/documents'))).toBe('200');
  });

  it('passes over the tool service, whose calls name server and definition', async () => {
    await set({ requireServerId: true, requireToolDigest: true, requireRegistered: true });
    expect(verdict(await tip('named', 10))).toBe('403 ShieldDenied missing_server_id');
    expect(
      (await callByRpc(tools, acme, 'tip_platform', { agent_id: 'named', credits: 10, idempotency_key: randomUUID() }))
        .words,
    ).toBe('ok');
    expect((await callByRpc(tools, acme, 'query_vault', { query: 'lightshelf' })).words).toBe('ok');
  });

  it('does not lock the owner out: policy, switches, trust and approvals stay open, and drills run', async () => {
    await set({ requireServerId: true, requireToolDigest: true, requireRegistered: true });
    const marked = await mark(acme, 'POST /v1/citations');
    await lift(acme, marked);
    await trust(acme, 'trust/publishers', { publisherId: 'open' });
    expect((await drill(acme, 'revoked_digest')).passed).toBe(true);
    expect((await drill(acme, 'kill_switch')).passed).toBe(true);
    expect((await set(POLICY_OFF)).body).toMatchObject(POLICY_OFF);
    expect(verdict(await ingest())).toBe('202');
  });

  it('cannot name an invention instead, where names must be registered', async () => {
    const known = newDigest();
    await trust(acme, 'trust/publishers', { publisherId: 'shelf' });
    await trust(acme, 'servers', { serverId: 'Archive', publisherId: 'Shelf' });
    await trust(acme, 'trust/digests', { digest: known });
    await set({ requireServerId: true, requireToolDigest: true, requireRegistered: true });
    expect(verdict(await ingest(through('invented', known)))).toBe('403 ShieldDenied unregistered_server');
    expect(verdict(await ingest(through('archive', newDigest())))).toBe('403 ShieldDenied unregistered_digest');
    expect(verdict(await ingest(through('svc-tools', known)))).toBe('403 ShieldDenied unregistered_server');
    expect(verdict(await ingest(through('ARCHIVE', known)))).toBe('202');
  });
});

describe('an approver', () => {
  it('needs a session that shows the request, where the tenant wants it, to approve and to reject', async () => {
    await set({ requireUiIntegrity: true });
    const marked = await mark(acme);
    const body = document(acme);
    const { approvalRequestId } = (await acme.call('POST', '/v1/ingest', body)).body;
    const bare = await resolve(approver, approvalRequestId);
    expect([verdict(bare), bare.body.approvalRequestId]).toEqual(['403 UiIntegrityRequired', approvalRequestId]);
    expect(verdict(await resolve(approver, approvalRequestId, { decision: 'reject' }))).toBe('403 UiIntegrityRequired');
    const open = () =>
      expectStatus(201, approver.call('POST', '/v1/shield/ui-integrity-sessions', { approvalRequestId }));
    const wrong = { uiIntegritySessionId: (await open()).body.uiIntegritySessionId, shownDigest: newDigest() };
    expect(verdict(await resolve(approver, approvalRequestId, wrong))).toBe('409 UiIntegrityMismatch');
    const { uiIntegritySessionId, shownDigest } = (await open()).body;
    const { approvalToken } = (
      await expectStatus(200, resolve(approver, approvalRequestId, { uiIntegritySessionId, shownDigest }))
    ).body;
    expect(verdict(await acme.call('POST', '/v1/ingest', body, withToken(approvalToken)))).toBe('202');
    await lift(acme, marked);
  });
});
