import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ShieldPipeline } from '../../../src/common/call-policy/shield-pipeline.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { caller, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { anotherKey, document, expectStatus, lift, mark, resolve, verdict, within } from './given.js';

let api: TestApi;
let second: TestApi;
let acme: TestTenant;
/** The same tenant at the second server. */
let acmeThere: TestTenant;
beforeAll(async () => {
  api = await startApi();
  second = await startApi({ database: api.database });
  acme = api.tenant;
  acmeThere = { ...acme, call: caller(second.url, acme.tenantId, acme.apiKey) };
});
afterAll(async () => {
  await second.close();
  await api.close();
});

const ingest = (headers = {}, tenant = acme) => tenant.call('POST', '/v1/ingest', document(tenant), headers);
const setSwitch = (body: object, tenant = acme) =>
  expectStatus(201, tenant.call('POST', '/v1/shield/kill-switches', { reason: 'Stop', ...body }));
const retrieve = (tenant = acme) => tenant.call('POST', '/v1/retrieve', { query: 'lighthouse' });
const digest = () => `sha256:${randomBytes(32).toString('hex')}`;
const decisions = async (filter = '') =>
  (await acme.call('GET', `/v1/shield/decisions?limit=200${filter}`)).body.decisions;

describe('every decision', () => {
  it('is not made of a body that is no object, which the route rejects', async () => {
    const before = await decisions();
    for (const body of ['"🦘"', [{ docId: 'a' }], 7]) {
      const refused = await acme.call('POST', '/v1/ingest', body);
      expect([refused.status, refused.body.detail]).toEqual([400, 'body: must be a JSON object']);
    }
    expect(await decisions()).toEqual(before);
  });

  it('is not made of a body of more values than are digested', async () => {
    const body = { documents: Array.from({ length: 200_000 }, () => 1) };
    const refused = await acme.call('POST', '/v1/ingest/batch', body);
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining('more than 200000 values')]);
  });

  it('of a mutation is one row and one event, in the transaction of its effect', async () => {
    const before = await decisions();
    const switched = await setSwitch({ scope: 'principal', target: 'seat:00000000-0000-4000-8000-000000000000' });
    await expectStatus(202, ingest());
    await lift(acme, switched);
    await acme.call('GET', '/v1/documents');
    expect((await acme.call('POST', '/v1/ingest', { tenantId: 'acme' })).status).toBe(400);
    const made = (await decisions()).slice(0, -before.length || undefined).reverse();
    expect(made.map(({ action, outcome, rule }: any) => [action, outcome, rule])).toEqual([
      ['POST /v1/shield/kill-switches', 'allow', 'always_open'],
      ['POST /v1/ingest', 'allow', 'default'],
      ['DELETE /v1/shield/kill-switches/:killSwitchId', 'allow', 'always_open'],
    ]);
    expect(made[1]).toEqual({
      decisionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      decidedAt: expect.any(String),
      principal: `key:${acme.keyId}`,
      authType: 'api_key',
      action: 'POST /v1/ingest',
      serverId: null,
      toolDigest: null,
      argumentsDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      outcome: 'allow',
      rule: 'default',
      reason: null,
      policyVersion: switched.body.policyVersion,
      approvalRequestId: null,
      sampledBy: [],
    });
    const events = await api.database.query<{ event_id: string; data: any }>(
      `select e.event_id, e.data from shield_decision d left join outbox_event e
         on e.tenant_id = d.tenant_id and e.kind = 'shield.decision' and e.subject = d.decision_id::text where d.tenant_id = 'acme'`,
    );
    expect(events.every(({ event_id, data }) => data.decisionId === event_id)).toBe(true);
    expect(events.length).toBe(before.length + 3);
  });

  it('of a refusal is kept, with nothing of the effect', async () => {
    const switched = await mark(acme, 'POST /v1/ingest', 'deny');
    const body = document(acme);
    const key = crypto.randomUUID();
    const refused = await acme.call('POST', '/v1/ingest', body, { 'x-idempotency-key': key });
    expect([refused.status, refused.body]).toMatchObject([
      403,
      {
        type: 'ShieldDenied',
        denial: { type: 'kill_switch', reason: expect.stringContaining('Imports are reviewed') },
        decisionId: expect.any(String),
      },
    ]);
    const [kept] = await api.database.query<object>(
      `select d.outcome, d.denial_type, e.kind, e.data->'denial'->>'type' as denied_by,
         (select count(*)::int from document where doc_id = $2) as documents,
         (select count(*)::int from idempotent_request where idempotency_key = $3) as replies
       from shield_decision d join outbox_event e on e.tenant_id = d.tenant_id and e.event_id = d.decision_id where d.decision_id = $1`,
      [refused.body.decisionId, body.docId, key],
    );
    expect(kept).toEqual({
      outcome: 'deny',
      denial_type: 'kill_switch',
      kind: 'shield.decision',
      denied_by: 'kill_switch',
      documents: 0,
      replies: 0,
    });
    await lift(acme, switched);
    // The key was not used up by the refusal.
    expect((await acme.call('POST', '/v1/ingest', body, { 'x-idempotency-key': key })).status).toBe(202);
  });

  it('asks for an approval of what spends more than 100 credits, and leaves one decision', async () => {
    const pipeline = api.app.get(ShieldPipeline);
    const tenancy = api.app.get(Tenancy);
    // What it costs stands in no argument, as with the price of a bundle.
    const spend = (credits: number, approvalToken?: string) => {
      const call = {
        caller: { tenantId: 'acme', principal: `key:${acme.keyId}`, authType: 'api_key' },
        action: 'POST /v1/bundles/purchase',
        isRead: false,
        arguments: { path: {}, query: {}, body: { bundleId: 'b' } },
        approvalToken,
      };
      return tenancy.run('acme', () => pipeline.run(call, () => pipeline.admitSpending(credits)));
    };
    await spend(100);
    const refusal: any = await spend(101).catch((error: unknown) => error);
    expect(refusal.kind.type).toBe('ShieldApprovalRequired');
    const approver = await anotherKey(api, acme);
    const approval = (await approver.call('GET', `/v1/shield/approvals/${refusal.facts.approvalRequestId}`)).body;
    expect(approval.reason).toBe('It spends 101 credits; more than 100 need an approval');
    const { approvalToken } = (await resolve(approver, approval.approvalRequestId)).body;
    await expect(spend(102, approvalToken)).rejects.toThrow('It spends 102 credits');
    await spend(101, approvalToken);
    await expect(spend(101, approvalToken)).rejects.toMatchObject({ facts: { denial: { cause: 'used' } } });
    const made = await decisions('&action=POST%20/v1/bundles/purchase');
    expect(made.map(({ outcome, rule }: any) => `${outcome} ${rule}`)).toEqual([
      'deny approval_void',
      'allow approved',
      'approval_required spending',
      'approval_required spending',
      'allow default',
    ]);
  });
});

describe('a kill switch', () => {
  it('acts in another process within a second, and ends as fast', async () => {
    await expectStatus(202, ingest({}, acmeThere));
    await expectStatus(200, retrieve(acmeThere));
    const started = performance.now();
    const switched = await setSwitch({ scope: 'tenant', includeReads: true });
    expect(verdict(await ingest({}, acmeThere))).toBe('403 ShieldDenied kill_switch');
    const refusedRead = async () => verdict(await retrieve(acmeThere)) === '403 ShieldDenied kill_switch';
    expect(await within(1000, refusedRead)).toBe(true);
    expect(performance.now() - started).toBeLessThan(2000);
    // What undoes it stays open, at every server.
    expect((await acmeThere.call('GET', '/v1/shield/kill-switches?active=true')).body.killSwitches).toEqual([
      expect.objectContaining({
        killSwitchId: switched.body.killSwitchId,
        scope: 'tenant',
        target: null,
        active: true,
      }),
    ]);
    await lift(acmeThere, switched);
    await expectStatus(202, ingest());
    expect(await within(1000, async () => (await retrieve()).status === 200)).toBe(true);
  });

  it('is not lifted by whom it stops, by its key or by a session of it', async () => {
    const other = await anotherKey(api, acme);
    const switched = await setSwitch({ scope: 'principal', target: `key:${acme.keyId}` }, other);
    const at = `/v1/shield/kill-switches/${switched.body.killSwitchId}`;
    expect(verdict(await acme.call('DELETE', `${at}?reason=mine`))).toBe('403 KillSwitchOnCaller');
    const connected = await fetch(`${api.url}/frontdoor/auth/connect`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: api.url },
      body: JSON.stringify({ tenantId: acme.tenantId, apiKey: acme.apiKey }),
    });
    const cookie = connected.headers.get('set-cookie')!.split(';')[0]!;
    const bySession = await fetch(`${api.url}${at}?reason=mine`, {
      method: 'DELETE',
      headers: { cookie, origin: api.url, 'x-idempotency-key': crypto.randomUUID() },
    });
    expect([bySession.status, ((await bySession.json()) as { type: string }).type]).toEqual([
      403,
      'KillSwitchOnCaller',
    ]);
    expect(verdict(await ingest())).toBe('403 ShieldDenied kill_switch');
    await lift(other, switched);
    await expectStatus(202, ingest());
  });

  it('stops what it names and nothing else', async () => {
    const other = await anotherKey(api, acme);
    const stops = async (body: object, expected: [ingest: string, retrieve: string, list: string]) => {
      const switched = await setSwitch(body);
      const seen = [await ingest(), await retrieve(), await acme.call('GET', '/v1/documents')].map(verdict);
      await lift(other, switched);
      expect([body, seen]).toEqual([body, expected]);
    };
    const no = '403 ShieldDenied kill_switch';
    await stops({ scope: 'tenant' }, [no, '200', '200']);
    await stops({ scope: 'tenant', includeReads: true }, [no, no, no]);
    await stops({ scope: 'action', target: 'POST /v1/retrieve' }, ['202', no, '200']);
    await stops({ scope: 'action', target: 'POST /v1/*' }, [no, no, '200']);
    await stops({ scope: 'action', target: 'GET /v1/documents/{corpusId}/{docId}' }, ['202', '200', '200']);
    await stops({ scope: 'principal', target: `key:${acme.keyId}` }, [no, '200', '200']);
    await stops({ scope: 'principal', target: `key:${crypto.randomUUID()}`, includeReads: true }, [
      '202',
      '200',
      '200',
    ]);
    await stops({ scope: 'server', target: 'files' }, ['202', '200', '200']);
  });

  it('ends by itself, and stays in the list with who, when and why', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await setSwitch({ scope: 'action', target: 'POST /v1/ingest', expiresAt });
    expect(verdict(await ingest())).toBe('403 ShieldDenied kill_switch');
    await api.database.query(`update shield_kill_switch set expires_at = now() where kill_switch_id = $1`, [
      body.killSwitchId,
    ]);
    expect((await ingest()).status).toBe(202);
    const lifted = (await lift(acme, await mark(acme))).body;
    const { killSwitches } = (await acme.call('GET', '/v1/shield/kill-switches?active=false&limit=2')).body;
    expect(killSwitches).toMatchObject([
      { killSwitchId: lifted.killSwitchId, active: false, liftedBy: `key:${acme.keyId}`, liftReason: 'over' },
      { killSwitchId: body.killSwitchId, active: false, liftedBy: null, reason: 'Stop' },
    ]);
    const again = await acme.call('DELETE', `/v1/shield/kill-switches/${lifted.killSwitchId}`);
    expect(verdict(again)).toBe('409 KillSwitchLifted');
  });

  it('that would stop nothing, or the way back, is refused by name', async () => {
    for (const [body, path] of [
      [{ scope: 'action', target: 'POST /v1/ingests' }, 'body.target'],
      [{ scope: 'action', target: '/v1/ingest' }, 'body.target'],
      [{ scope: 'action', target: 'POST /v1/shield/kill-switches' }, 'body.target'],
      [{ scope: 'action', target: 'POST /frontdoor/auth/connect' }, 'body.target'],
      [{ scope: 'action' }, 'body.target'],
      [{ scope: 'tenant', target: 'acme' }, 'body.target'],
      [{ scope: 'principal', target: 'me' }, 'body.target'],
      [{ scope: 'tenant', expiresAt: '2020-01-01T00:00:00Z' }, 'body.expiresAt'],
    ] as const) {
      const answer = await acme.call('POST', '/v1/shield/kill-switches', { reason: 'x', ...body });
      expect([body, answer.status, answer.body.issues?.[0].path]).toEqual([body, 400, path]);
    }
  });

  it('is its tenant’s alone', async () => {
    const other = await api.addTenant('other');
    const theirs = await setSwitch({ scope: 'tenant', includeReads: true }, other);
    expect((await ingest()).status).toBe(202);
    expect((await retrieve()).status).toBe(200);
    expect((await acme.call('DELETE', `/v1/shield/kill-switches/${theirs.body.killSwitchId}`)).status).toBe(404);
    expect((await acme.call('GET', '/v1/shield/kill-switches')).text).not.toContain(theirs.body.killSwitchId);
    expect(verdict(await retrieve(other))).toBe('403 ShieldDenied kill_switch');
  });
});

describe('trust', () => {
  const through = (serverId: string, toolDigest?: string) => ({
    'x-shield-server-id': serverId,
    ...(toolDigest ? { 'x-shield-tool-digest': toolDigest } : {}),
  });
  const publisher = (publisherId: string, members = {}) =>
    expectStatus(
      201,
      acme.call('POST', '/v1/shield/trust/publishers', { publisherId, reason: 'Reviewed', ...members }),
    );
  const server = (serverId: string, publisherId: string, members = {}) =>
    expectStatus(201, acme.call('POST', '/v1/shield/servers', { serverId, publisherId, ...members }));

  it('follows a server through its states, with its pinned definitions', async () => {
    const [known, changed] = [digest(), digest()];
    await publisher('tools-inc');
    await server('files', 'tools-inc', { toolDigests: [known], url: 'https://files.example.org/' });
    expect(verdict(await ingest(through('files', known)))).toBe('202');
    expect(verdict(await ingest(through('files', changed)))).toBe('403 ShieldDenied untrusted_digest');
    expect(verdict(await ingest(through('files')))).toBe('403 ShieldDenied untrusted_digest');
    await expectStatus(
      201,
      acme.call('POST', '/v1/shield/trust/digests', {
        digest: changed,
        serverId: 'files',
        tool: 'read',
        reason: 'Reviewed',
      }),
    );
    expect(verdict(await ingest(through('files', changed)))).toBe('202');
    const status = (to: string) =>
      expectStatus(200, acme.call('POST', '/v1/shield/servers/files/status', { status: to, reason: 'Odd traffic' }));
    await status('quarantined');
    expect(verdict(await ingest(through('files', known)))).toBe('403 ShieldApprovalRequired');
    await status('blocked');
    expect(verdict(await ingest(through('files', known), acmeThere))).toBe('403 ShieldDenied blocked_server');
    const read = await acmeThere.call('GET', '/v1/documents', undefined, through('files', known));
    expect(verdict(read)).toBe('403 ShieldDenied blocked_server');
    await status('active');
    expect(verdict(await ingest(through('files', known)))).toBe('202');
    expect((await acme.call('GET', '/v1/shield/servers?publisherId=tools-inc')).body.servers).toMatchObject([
      {
        serverId: 'files',
        status: 'active',
        toolDigests: [known, changed],
        reason: 'Odd traffic',
        updatedBy: `key:${acme.keyId}`,
      },
    ]);
  });

  it('revoked in one process is refused in another, with the approvals that hung on it', async () => {
    const tool = digest();
    await publisher('risky');
    await server('risky-server', 'risky');
    const headers = through('risky-server', tool);
    await expectStatus(202, ingest(headers, acmeThere));
    const marked = await mark(acme);
    const { approvalRequestId } = (await ingest(headers)).body;
    await expectStatus(200, acme.call('POST', '/v1/shield/trust/digests/revoke', { digest: tool, reason: 'Leaks' }));
    expect(verdict(await ingest(headers, acmeThere))).toBe('403 ShieldDenied revoked_digest');
    expect((await acme.call('GET', `/v1/shield/approvals/${approvalRequestId}`)).body).toMatchObject({
      status: 'void',
      endReason: expect.stringContaining('digest_revoked'),
    });
    await lift(acme, marked);
    await publisher('risky', { status: 'revoked', reason: 'Sold' });
    expect(verdict(await ingest(through('risky-server'), acmeThere))).toBe('403 ShieldDenied revoked_publisher');
    const registration = acme.call('POST', '/v1/shield/servers', { serverId: 'third', publisherId: 'risky' });
    expect(verdict(await registration)).toBe('409 PublisherRevoked');
  });

  it('of a publisher with a key asks for its signature', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
    const none = { publisherId: 'signed', publicKey: Buffer.alloc(32, 0xff).toString('base64'), reason: 'Reviewed' };
    const { body } = await expectStatus(400, acme.call('POST', '/v1/shield/trust/publishers', none));
    expect(body.issues).toEqual([{ path: 'body.publicKey', message: 'is no Ed25519 public key' }]);
    await publisher('signed', { publicKey: raw });
    const tool = digest();
    const pin = (signature?: string) =>
      acme.call('POST', '/v1/shield/trust/digests', { digest: tool, publisherId: 'signed', reason: 'r', signature });
    const signed = (text: string) => sign(null, Buffer.from(text), privateKey).toString('base64');
    expect((await pin()).body.issues[0].path).toBe('body.signature');
    expect((await pin(signed(digest()))).body.issues[0].path).toBe('body.signature');
    expect((await pin(signed(tool))).status).toBe(201);
  });

  it('names that are no server or digest are refused before anything is decided', async () => {
    const answer = await ingest({ 'x-shield-tool-digest': 'sha256:short' });
    expect([answer.status, answer.body.issues[0].path]).toEqual([400, 'headers.x-shield-tool-digest']);
  });
});

describe('sampling', () => {
  it('keeps the share of decisions it should, and says which', async () => {
    const put = (name: string, ratePerMillion: number, match = {}) =>
      expectStatus(201, acme.call('POST', '/v1/shield/sampling-policies', { name, ratePerMillion, match }));
    const all = (await put('all citations', 1_000_000, { action: 'POST /v1/ingest', outcome: 'allow' })).body;
    await put('none', 0);
    const since = (await decisions())[0].decisionId;
    await ingest();
    await lift(acme, await mark(acme, 'POST /v1/citations'));
    const sampled = (await decisions('&sampled=true')).filter(({ decisionId }: any) => decisionId > since);
    expect(sampled).toMatchObject([{ action: 'POST /v1/ingest', sampledBy: [all.samplingPolicyId] }]);
    expect((await acme.call('GET', '/v1/shield/sampling-policies')).body.samplingPolicies).toMatchObject([
      { name: 'all citations', sampled: 1 },
      { name: 'none', sampled: 0 },
    ]);
    const ended = await put('all citations', 0, { action: 'POST /v1/ingest' });
    expect(ended.body.samplingPolicyId).toBe(all.samplingPolicyId);
  });
});

it('capabilities report the current state', async () => {
  const switched = await setSwitch({ scope: 'server', target: 'files' });
  const { body } = await acme.call('GET', '/v1/shield/capabilities');
  expect(body).toMatchObject({
    policyVersion: switched.body.policyVersion,
    outcomes: ['allow', 'approval_required', 'deny'],
    spendingThresholdCredits: 100,
    approvalSeconds: 900,
    activeKillSwitches: [{ killSwitchId: switched.body.killSwitchId }],
    counts: { revokedPublishers: 1, pendingApprovals: 0 },
  });
  await lift(acme, switched);
});
