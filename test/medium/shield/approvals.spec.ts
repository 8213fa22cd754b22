import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { caller, send, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { accept, givenMember, someEmail } from '../seats/given.js';
import { anotherKey, approved, document, expectStatus, lift, mark, resolve, verdict, withToken } from './given.js';

let api: TestApi;
let asker: TestTenant;
let approver: TestTenant;
let ingests: (docId: string) => Promise<number>;
beforeAll(async () => {
  api = await startApi();
  asker = api.tenant;
  approver = await anotherKey(api, asker);
  ingests = async (docId) => {
    const [row] = await api.database.query<{ count: number }>(
      `select count(*)::int as count from document_version where tenant_id = 'acme' and doc_id = $1`,
      [docId],
    );
    return row!.count;
  };
  await mark(asker);
});
afterAll(() => api.close());

const principal = () => `key:${asker.keyId}`;
const ingest = (body: object, token: string, headers = {}, tenant = asker) =>
  tenant.call('POST', '/v1/ingest', body, withToken(token, headers));

describe('an approval', () => {
  it('is asked for by the refusal, given by another owner, and opens that one call once', async () => {
    const body = document(asker);
    const refused = await asker.call('POST', '/v1/ingest', body);
    expect([refused.status, refused.body]).toEqual([
      403,
      {
        type: 'ShieldApprovalRequired',
        title: 'This needs the approval of another principal',
        status: 403,
        detail: expect.stringContaining('Imports are reviewed'),
        message: expect.any(String),
        request_id: expect.any(String),
        code: 'SHIELD_APPROVAL_REQUIRED',
        retryable: false,
        approvalRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        decisionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ]);
    expect(await ingests(body.docId)).toBe(0);
    const { approvalRequestId, decisionId } = refused.body;
    const pending = {
      approvalRequestId,
      status: 'pending',
      principal: principal(),
      action: 'POST /v1/ingest',
      serverId: null,
      toolDigest: null,
      argumentsDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      arguments: { path: {}, query: {}, body },
      argumentsBytes: expect.any(Number),
      policyVersion: 2,
      spendCredits: null,
      decisionId,
      reason: 'Imports are reviewed',
      requestedAt: expect.any(String),
      expiresAt: expect.any(String),
      resolvedBy: null,
      resolvedAt: null,
      resolutionReason: null,
      uiIntegritySessionId: null,
      receiptId: null,
      usedAt: null,
      usedDecisionId: null,
      endedAt: null,
      endReason: null,
    };
    const read = await approver.call('GET', `/v1/shield/approvals/${approvalRequestId}`);
    expect([read.status, read.body]).toEqual([200, pending]);
    expect(Date.parse(read.body.expiresAt) - Date.parse(read.body.requestedAt)).toBe(900_000);
    // The same call finds the same request, whatever its idempotency key.
    expect((await asker.call('POST', '/v1/ingest', body)).body.approvalRequestId).toBe(approvalRequestId);

    const given = await resolve(approver, approvalRequestId);
    expect([given.status, given.body]).toEqual([
      200,
      {
        ...pending,
        status: 'approved',
        resolvedBy: `key:${approver.keyId}`,
        resolvedAt: expect.any(String),
        resolutionReason: 'Looks right',
        receiptId: expect.any(String),
        approvalToken: expect.stringMatching(/^svc_appr_[\w-]{43}$/),
      },
    ]);
    expect((await ingest(body, given.body.approvalToken)).status).toBe(202);
    expect(await ingests(body.docId)).toBe(1);
    expect(verdict(await ingest(body, given.body.approvalToken))).toBe('403 ShieldDenied approval_void used');
    const used = (await approver.call('GET', `/v1/shield/approvals/${approvalRequestId}`)).body;
    const [decision] = (await approver.call('GET', '/v1/shield/decisions?outcome=allow&action=POST%20/v1/ingest')).body
      .decisions;
    expect(used).toMatchObject({ status: 'used', usedDecisionId: decision.decisionId });
    expect(decision).toMatchObject({ rule: 'approved', approvalRequestId, principal: principal() });
  });

  it('opens the same call without its token, once, and no other', async () => {
    const body = document(asker);
    const { approvalRequestId } = (await asker.call('POST', '/v1/ingest', body)).body;
    expect((await resolve(approver, approvalRequestId)).status).toBe(200);
    const others = [
      await asker.call('POST', '/v1/ingest', { ...body, title: 'Another title' }),
      await approver.call('POST', '/v1/ingest', body),
      await asker.call('POST', '/v1/ingest', body, { 'x-shield-server-id': 'a-server' }),
    ];
    expect(others.map(verdict)).toEqual(others.map(() => '403 ShieldApprovalRequired'));
    expect(await ingests(body.docId)).toBe(0);
    const atOnce = await Promise.all(Array.from({ length: 4 }, () => asker.call('POST', '/v1/ingest', body)));
    expect(atOnce.map(({ status }) => status).sort()).toEqual([202, 403, 403, 403]);
    const asked = new Set(atOnce.flatMap(({ body: { approvalRequestId: id } }) => (id === undefined ? [] : [id])));
    expect([asked.size, asked.has(approvalRequestId)]).toEqual([1, false]);
    expect(await ingests(body.docId)).toBe(1);
  });

  it('names itself in the refusal, and what happens next', async () => {
    const body = document(asker);
    await asker.call('POST', '/v1/ingest', body);
    const again = (await asker.call('POST', '/v1/ingest', body)).body;
    expect(again.message).toContain(again.approvalRequestId);
    expect(again.message).toContain('send the same call again');
  });

  it('cannot be given by the principal that asked, by key or by session', async () => {
    const { body } = await asker.call('POST', '/v1/ingest', document(asker));
    expect(verdict(await resolve(asker, body.approvalRequestId))).toBe('403 SeparationOfDuties');
    const connected = await send(api.url, 'POST', '/frontdoor/auth/connect', {
      tenantId: 'acme',
      apiKey: asker.apiKey,
    });
    const cookie = connected.headers.get('set-cookie')!.split(';')[0]!;
    const headers = { 'x-api-key': '', 'x-tenant-id': '', cookie, origin: api.url };
    const bySession = await asker.call(
      'POST',
      `/v1/shield/approvals/${body.approvalRequestId}/resolve`,
      { decision: 'approve', reason: 'mine' },
      headers,
    );
    expect(verdict(bySession)).toBe('403 SeparationOfDuties');
    expect((await resolve(approver, body.approvalRequestId, { decision: 'reject' })).body).toMatchObject({
      status: 'rejected',
      approvalToken: null,
    });
    expect(verdict(await resolve(approver, body.approvalRequestId))).toBe('409 ApprovalNotPending');
  });

  it('cannot be given by whom a kill switch stops', async () => {
    const stopped = await anotherKey(api, asker);
    const body = { scope: 'principal', target: `key:${stopped.keyId}`, reason: 'Leaked' };
    const switched = await expectStatus(201, asker.call('POST', '/v1/shield/kill-switches', body));
    const { approvalRequestId } = (await asker.call('POST', '/v1/ingest', document(asker))).body;
    expect(verdict(await resolve(stopped, approvalRequestId))).toBe('403 SeparationOfDuties');
    expect((await resolve(approver, approvalRequestId)).status).toBe(200);
    await lift(asker, switched);
    const asked = (await asker.call('POST', '/v1/ingest', document(asker))).body;
    expect((await resolve(stopped, asked.approvalRequestId)).status).toBe(200);
  });

  it('cannot be given by a key that the asking principal made, nor by one which that key made', async () => {
    const { body } = await asker.call('POST', '/v1/ingest', document(asker));
    let maker: Pick<TestTenant, 'call'> = asker;
    for (const label of ['second', 'third']) {
      const made = (await expectStatus(201, maker.call('POST', '/v1/org/api-keys', { label }))).body;
      maker = { call: caller(api.url, 'acme', made.apiKey) };
      const decided = await resolve(maker as TestTenant, body.approvalRequestId);
      expect(verdict(decided)).toBe('403 SeparationOfDuties');
    }
    expect((await resolve(approver, body.approvalRequestId)).status).toBe(200);
  });

  it('cannot be given by who made the asking key, nor by another key of the same maker', async () => {
    const keyOf = async (maker: Pick<TestTenant, 'call'>, label: string): Promise<TestTenant> => {
      const made = (await expectStatus(201, maker.call('POST', '/v1/org/api-keys', { label }))).body;
      return { ...asker, call: caller(api.url, 'acme', made.apiKey as string) };
    };
    const [pipeline, other] = [await keyOf(asker, 'pipeline'), await keyOf(asker, 'other')];
    const third = await keyOf(other, 'of the other');
    const { body } = await pipeline.call('POST', '/v1/ingest', document(pipeline));
    for (const one of [asker, other, third])
      expect(verdict(await resolve(one, body.approvalRequestId))).toBe('403 SeparationOfDuties');
    expect((await resolve(approver, body.approvalRequestId)).status).toBe(200);
  });

  describe('of a seat that its asker invited', () => {
    const refusal = '403 SeparationOfDuties';
    const askedBy = async (one: { call: TestTenant['call'] }): Promise<string> => {
      const { body } = await one.call('POST', '/v1/ingest', document(asker));
      return body.approvalRequestId;
    };
    const decide = async (one: { call: TestTenant['call'] }, id: string) =>
      verdict(await resolve(one as TestTenant, id)).trim();

    it('cannot be given, nor by what that seat invited or made in turn; the other way round it can', async () => {
      const maker = await anotherKey(api, asker);
      const seat = await givenMember(api.url, maker, 'owner');
      const id = await askedBy(maker);
      expect(await decide(seat, id)).toBe(refusal);
      const next = await seat.call('POST', '/v1/org/invite', { email: someEmail('owner'), role: 'admin' });
      await seat.call('PUT', `/v1/org/seats/${next.body.seat.id}`, { role: 'owner' });
      expect(await decide(await accept(api.url, next.body.inviteToken), id)).toBe(refusal);
      const made = (await expectStatus(201, seat.call('POST', '/v1/org/api-keys', { label: 'of the seat' }))).body;
      expect(await decide({ call: caller(api.url, 'acme', made.apiKey) }, id)).toBe(refusal);
      expect(await decide(maker, await askedBy(seat))).toBe('200');
      expect(await decide(approver, id)).toBe('200');
    });

    it('cannot be given by a key of who invited it, nor once who asked has invited it to sign in again', async () => {
      const maker = await anotherKey(api, asker);
      const made = (await expectStatus(201, maker.call('POST', '/v1/org/api-keys', { label: 'inviting' }))).body;
      const seat = await givenMember(api.url, { ...maker, call: caller(api.url, 'acme', made.apiKey) }, 'owner');
      expect(await decide(seat, await askedBy(maker))).toBe(refusal);
      const id = await askedBy(asker);
      const again = await expectStatus(201, asker.call('POST', '/v1/org/invite', { email: seat.email }));
      expect(await decide(await accept(api.url, again.body.inviteToken), id)).toBe(refusal);
    });

    it('is given by another seat of the same inviter, and by one whose invitation is not accepted yet', async () => {
      const [one, other] = [await givenMember(api.url, asker, 'owner'), await givenMember(api.url, asker, 'owner')];
      await expectStatus(201, one.call('POST', '/v1/org/invite', { email: other.email }));
      expect(await decide(other, await askedBy(one))).toBe('200');
    });
  });

  describe('does not survive', () => {
    let body: ReturnType<typeof document>;
    let token: string;
    beforeEach(async () => {
      body = document(asker);
      token = await approved(asker, approver, body);
    });
    const still = async () => expect((await ingest(body, token)).status).toBe(202);

    it('a changed byte of the arguments', async () => {
      expect(verdict(await ingest({ ...body, title: 'U' }, token))).toBe(
        '403 ShieldDenied approval_void arguments_changed',
      );
      expect(verdict(await ingest({ ...body, metadata: {} }, token))).toBe(
        '403 ShieldDenied approval_void arguments_changed',
      );
      expect(await ingests(body.docId)).toBe(0);
      await still();
    });

    it('its time', async () => {
      await api.database.query(
        `update shield_approval set expires_at = now() - interval '1 ms' where state = 'approved'`,
      );
      expect(verdict(await ingest(body, token))).toBe('403 ShieldDenied approval_void expired');
      const { body: list } = await approver.call('GET', '/v1/shield/approvals?status=expired');
      expect(list.approvals[0].arguments.body.docId).toBe(body.docId);
    });

    it('another principal', async () => {
      expect(verdict(await ingest(body, token, {}, approver))).toBe('403 ShieldDenied approval_void another_principal');
      await still();
    });

    it('another tool definition or server', async () => {
      const digest = { 'x-shield-tool-digest': `sha256:${'ab'.repeat(32)}` };
      expect(verdict(await ingest(body, token, digest))).toBe('403 ShieldDenied approval_void tool_changed');
      expect(verdict(await ingest(body, token, { 'x-shield-server-id': 'files' }))).toBe(
        '403 ShieldDenied approval_void tool_changed',
      );
      await still();
    });

    it('a changed policy', async () => {
      await lift(approver, await mark(approver, 'POST /v1/citations'));
      const answer = await ingest(body, token);
      expect(verdict(answer)).toBe('403 ShieldDenied approval_void ended');
      expect(answer.body.denial.reason).toContain('policy changed');
    });

    it('forgery', async () => {
      expect(verdict(await ingest(body, `${token}x`))).toBe('403 ShieldDenied approval_void unknown');
      expect((await ingest(body, 'short')).status).toBe(400);
    });

    it('an effect that failed is no use of it', async () => {
      const bad = { ...body, title: 7 };
      const { approvalRequestId } = (await expectStatus(201, propose(bad))).body;
      const badToken = (await resolve(approver, approvalRequestId)).body.approvalToken;
      expect((await ingest(bad, badToken)).status).toBe(400);
      expect((await approver.call('GET', `/v1/shield/approvals/${approvalRequestId}`)).body.status).toBe('approved');
      await still();
    });
  });
  const propose = (body: object, more = {}) =>
    asker.call('POST', '/v1/shield/approvals/propose', {
      action: 'POST /v1/ingest',
      arguments: { body },
      reason: 'ahead',
      ...more,
    });

  it('has one effect under twenty parallel repeats', async () => {
    const body = document(asker);
    const token = await approved(asker, approver, body);
    const answers = await Promise.all(Array.from({ length: 20 }, () => ingest(body, token)));
    expect(answers.map(verdict).sort()).toEqual([
      '202',
      ...Array.from({ length: 19 }, () => '403 ShieldDenied approval_void used'),
    ]);
    expect(await ingests(body.docId)).toBe(1);
  }, 30_000);

  it('replays with the idempotency key, and then uses no second approval', async () => {
    const body = document(asker);
    const token = await approved(asker, approver, body);
    const key = { 'x-idempotency-key': crypto.randomUUID() };
    const first = await ingest(body, token, key);
    const again = await ingest(body, token, key);
    expect([first.status, again.status, again.body]).toEqual([202, 202, first.body]);
    expect(again.headers.get('x-idempotency-replayed')).toBe('true');
  });

  it('is the same whether proposed or asked for by a refusal, and binds the tool definition that was proposed', async () => {
    const body = document(asker);
    const proposed = await propose({ ...body, idempotencyKey: 'left-out-of-it' });
    expect(proposed.status).toBe(201);
    expect((await asker.call('POST', '/v1/ingest', body)).body.approvalRequestId).toBe(proposed.body.approvalRequestId);
    const toolDigest = `sha256:${'cd'.repeat(32)}`;
    const bound = await propose(body, { toolDigest, serverId: 'files' });
    expect(bound.body.approvalRequestId).not.toBe(proposed.body.approvalRequestId);
    const { approvalToken } = (await resolve(approver, bound.body.approvalRequestId)).body;
    expect(verdict(await ingest(body, approvalToken))).toBe('403 ShieldDenied approval_void tool_changed');
    const named = { 'x-shield-tool-digest': toolDigest, 'x-shield-server-id': 'files' };
    expect((await ingest(body, approvalToken, named)).status).toBe(202);
  });

  it('shows its token once: a replay of the resolution has it, the database does not', async () => {
    const { body } = await asker.call('POST', '/v1/ingest', document(asker));
    const key = { 'x-idempotency-key': crypto.randomUUID() };
    const path = `/v1/shield/approvals/${body.approvalRequestId}/resolve`;
    const first = await approver.call('POST', path, { decision: 'approve', reason: 'r' }, key);
    const again = await approver.call('POST', path, { decision: 'approve', reason: 'r' }, key);
    expect(again.body).toEqual(first.body);
    const [kept] = await api.database.query<{ body: string }>(
      'select body from idempotent_request where idempotency_key = $1',
      [key['x-idempotency-key']],
    );
    expect(kept!.body).not.toContain('svc_appr_');
    expect((await approver.call('GET', `/v1/shield/approvals/${body.approvalRequestId}`)).text).not.toContain(
      'svc_appr_',
    );
  });

  it('ends with the principal that asked, and with the one that gave it', async () => {
    const leaver = await anotherKey(api, asker);
    const bodies = [document(asker), document(asker)] as const;
    const asked = await leaver.call('POST', '/v1/ingest', bodies[0]);
    const token = await approved(asker, leaver, bodies[1]);
    await api.database.query('update api_key set revoked_at = now() where key_id = $1', [leaver.keyId]);
    expect((await approver.call('GET', `/v1/shield/approvals/${asked.body.approvalRequestId}`)).body).toMatchObject({
      status: 'void',
      endReason: 'The principal that asked has ended: key revoked',
    });
    const answer = await ingest(bodies[1], token);
    expect([verdict(answer), answer.body.denial.reason]).toEqual([
      '403 ShieldDenied approval_void ended',
      expect.stringContaining('The principal that approved has ended'),
    ]);
    expect(verdict(await resolve(approver, asked.body.approvalRequestId))).toBe('409 ApprovalNotPending');
  });

  it('leaves a receipt and an event for each of its states', async () => {
    const body = document(asker);
    const { approvalRequestId } = (await asker.call('POST', '/v1/ingest', body)).body;
    const { approvalToken, receiptId } = (await resolve(approver, approvalRequestId)).body;
    await ingest(body, approvalToken);
    const events = await api.database.query<{ kind: string; data: any }>(
      'select kind, data from outbox_event where subject = $1 order by position',
      [approvalRequestId],
    );
    expect(events.map(({ kind }) => kind)).toEqual([
      'shield.approval_requested',
      'shield.approval_approved',
      'shield.approval_used',
    ]);
    expect(JSON.stringify(events)).not.toContain(approvalToken);
    const receipts = await api.database.query('select receipt_id from receipt where subject = $1', [approvalRequestId]);
    expect(receipts).toEqual([{ receipt_id: receiptId }]);
  });

  it('is of no use to another tenant: its ids are not found, its tokens open nothing', async () => {
    const other = await api.addTenant('other');
    await mark(other);
    const body = document(asker);
    const { approvalRequestId } = (await asker.call('POST', '/v1/ingest', body)).body;
    expect((await other.call('GET', `/v1/shield/approvals/${approvalRequestId}`)).status).toBe(404);
    expect((await resolve(other, approvalRequestId)).status).toBe(404);
    expect((await other.call('POST', '/v1/shield/ui-integrity-sessions', { approvalRequestId })).status).toBe(404);
    const { approvalToken } = (await resolve(approver, approvalRequestId)).body;
    const stolen = await other.call('POST', '/v1/ingest', { ...body, tenantId: 'other' }, withToken(approvalToken));
    expect(verdict(stolen)).toBe('403 ShieldDenied approval_void unknown');
    expect((await other.call('GET', '/v1/shield/approvals')).text).not.toContain('acme');
    expect((await ingest(body, approvalToken)).status).toBe(202);
  });
});
