import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caller, secretOf, send, startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { startMailServer, type MailServer } from '../../kit/mail.js';
import { givenSeat } from './given.js';

let api: TestApi;
let mail: MailServer;
let operator: TestTenant;
let other: TestTenant;
beforeAll(async () => {
  mail = await startMailServer();
  api = await startApi({
    env: { SVC_BOOTSTRAP_TENANT_ID: 'acme', SVC_TRUSTED_PROXIES: '127.0.0.1', SVC_SMTP_URL: mail.url },
  });
  operator = api.tenant;
  other = await api.addTenant('other');
});
afterAll(async () => {
  await api.close();
  await mail.close();
});

let addresses = 0;
const post = (body: unknown) =>
  send(api.url, 'POST', '/frontdoor/access-requests', body, { 'x-forwarded-for': `198.51.100.${++addresses % 250}` });
const FULL = {
  audience: 'human',
  requesterEmail: 'Ada@Example.org',
  requesterName: 'Ada Lovelace',
  companyName: 'Analytical Engines Ltd',
  tenantId: 'engines',
  defaultAgentId: 'difference',
  apiKeyProvided: true,
  requestedUserLevel: 'pro',
  useCase: 'Tables of logarithms',
  notes: 'By 1843, please',
};
async function submit(members: object = {}): Promise<string> {
  const { status, body } = await post({ audience: 'human', requesterEmail: 'ada@example.org', ...members });
  expect([status, body]).toEqual([
    202,
    { requestId: expect.stringMatching(/^[0-9a-f-]{36}$/), status: 'submitted', submittedAt: expect.any(String) },
  ]);
  return body.requestId;
}
const decide = (requestId: string, body: object, tenant = operator, headers: Record<string, string> = {}) =>
  tenant.call('POST', `/v1/org/access-requests/${requestId}/status`, body, headers);
async function bringTo(requestId: string, ...states: string[]): Promise<Answer> {
  let answer!: Answer;
  for (const status of states) answer = await decide(requestId, { status, reason: `because ${status}` });
  expect([answer.status, answer.body.status]).toEqual([200, states.at(-1)]);
  return answer;
}
const list = async (query = '', tenant = operator) =>
  (await tenant.call('GET', `/v1/org/access-requests${query}`)).body;
const idsOf = ({ accessRequests }: { accessRequests: { requestId: string }[] }) =>
  accessRequests.map(({ requestId }) => requestId);

describe('asking for access', () => {
  it('keeps all that was said for the operating tenant', async () => {
    const requestId = await submit(FULL);
    const { tenantId: requestedTenantId, ...said } = FULL;
    const [request] = (await list()).accessRequests;
    expect(request).toEqual({
      ...said,
      requestedTenantId,
      requestId,
      status: 'submitted',
      submittedAt: expect.any(String),
      updatedAt: request.submittedAt,
      provisionedTenantId: null,
      allowed: ['reviewing'],
      history: [],
    });
  });

  it.each<[string, object, string]>([
    ['no audience', { audience: undefined }, 'audience'],
    ['another audience', { audience: 'cat' }, 'audience'],
    ['no e-mail', { requesterEmail: undefined }, 'requesterEmail'],
    ['no e-mail address', { requesterEmail: 'ada' }, 'requesterEmail'],
    ['a list of e-mails', { requesterEmail: 'a@example.org, b@example.org' }, 'requesterEmail'],
    ['an e-mail with a line break', { requesterEmail: 'a@example.org\r\nBcc: b@example.org' }, 'requesterEmail'],
    [
      'a long e-mail',
      {
        requesterEmail: `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(12)}.org`,
      },
      'requesterEmail',
    ],
    ['an empty name', { requesterName: '' }, 'requesterName'],
    ['a long name', { requesterName: 'x'.repeat(121) }, 'requesterName'],
    ['a long company', { companyName: 'x'.repeat(161) }, 'companyName'],
    ['a long tenant', { tenantId: 'x'.repeat(121) }, 'tenantId'],
    ['a long agent', { defaultAgentId: 'x'.repeat(121) }, 'defaultAgentId'],
    ['another level', { requestedUserLevel: 'gold' }, 'requestedUserLevel'],
    ['a flag that is none', { apiKeyProvided: 'yes' }, 'apiKeyProvided'],
    ['a long use case', { useCase: 'x'.repeat(2001) }, 'useCase'],
    ['long notes', { notes: 'x'.repeat(2001) }, 'notes'],
    ['anything else', { status: 'approved' }, 'status'],
  ])('refuses %s', async (_what, members, member) => {
    const { status, body } = await post({ ...FULL, ...members });
    expect([status, body.issues[0].path]).toEqual([400, `body.${member}`]);
  });

  it('is listed newest first, in pages, by status, audience and e-mail', async () => {
    const mine = 'lists@example.org';
    const ids: string[] = [];
    for (const audience of ['human', 'agent', 'human']) ids.unshift(await submit({ audience, requesterEmail: mine }));
    await bringTo(ids[0]!, 'reviewing');
    const first = await list(`?email=LISTS@example.org&limit=2`);
    const second = await list(`?email=${mine}&limit=2&cursor=${first.next_cursor}`);
    expect([idsOf(first), idsOf(second), second.next_cursor]).toEqual([ids.slice(0, 2), ids.slice(2), null]);
    expect(idsOf(await list(`?email=${mine}&audience=agent`))).toEqual([ids[1]]);
    expect(idsOf(await list(`?email=${mine}&status=reviewing`))).toEqual([ids[0]]);
    expect((await operator.call('GET', '/v1/org/access-requests?status=lost')).status).toBe(400);
  });

  it('is hidden from owners of other tenants, and from an admin', async () => {
    const requestId = await submit({ requesterEmail: 'secret@example.org' });
    expect(await list('', other)).toEqual({ accessRequests: [], next_cursor: null });
    const known = await decide(requestId, { status: 'reviewing' }, other);
    const unknown = await decide(crypto.randomUUID(), { status: 'reviewing' });
    expect([known.status, known.body.type, unknown.status]).toEqual([404, 'AccessRequestUnknown', 404]);
    const admin = await givenSeat(api, 'acme', 'admin');
    expect((await admin.call('GET', '/v1/org/access-requests')).status).toBe(403);
    expect((await admin.call('POST', `/v1/org/access-requests/${requestId}/status`, {})).status).toBe(403);
    expect((await list('?email=secret@example.org')).accessRequests[0].history).toEqual([]);
  });
});

describe('a decision', () => {
  it('keeps who, when and why, and leaves a receipt and an event', async () => {
    const requestId = await submit();
    const owner = await givenSeat(api, 'acme', 'owner');
    await decide(requestId, { status: 'reviewing' });
    const { body } = await owner.call('POST', `/v1/org/access-requests/${requestId}/status`, {
      status: 'rejected',
      reason: 'Out of scope',
    });
    expect([body.status, body.allowed, body.history]).toEqual([
      'rejected',
      [],
      [
        {
          from: 'submitted',
          to: 'reviewing',
          principal: `key:${operator.keyId}`,
          at: expect.any(String),
          reason: null,
        },
        {
          from: 'reviewing',
          to: 'rejected',
          principal: `seat:${owner.seatId}`,
          at: body.updatedAt,
          reason: 'Out of scope',
        },
      ],
    ]);
    expect(body).not.toHaveProperty('provisioned');
    const kinds = await api.database.query<{ kind: string }>(
      `select kind from outbox_event where tenant_id = 'acme' and subject = $1 order by position`,
      [requestId],
    );
    expect(kinds.map(({ kind }) => kind)).toEqual(
      ['submitted', 'reviewing', 'rejected'].map((to) => `access_request.${to}`),
    );
    const receipts = await api.database.query('select 1 from receipt where tenant_id = $1 and subject = $2', [
      'acme',
      requestId,
    ]);
    expect(receipts).toHaveLength(2);
  });

  const ALL = ['submitted', 'reviewing', 'approved', 'rejected', 'provisioned', 'spam'];
  it.each<[string[], string[]]>([
    [[], ['reviewing']],
    [['reviewing'], ['approved', 'rejected', 'spam']],
    [['reviewing', 'approved'], ['provisioned']],
    [['reviewing', 'rejected'], []],
    [['reviewing', 'spam'], []],
  ])('after %j may be only %j', async (path, allowed) => {
    const requestId = await submit();
    if (path.length > 0) await bringTo(requestId, ...path);
    for (const status of ALL.filter((one) => !allowed.includes(one))) {
      const answer = await decide(requestId, { status });
      const { type, status: statusInBody, from, allowed: next } = answer.body;
      expect([status, answer.status, type, statusInBody, from, next]).toEqual([
        status,
        409,
        'AccessRequestTransitionRefused',
        409,
        path.at(-1) ?? 'submitted',
        allowed,
      ]);
    }
  });

  it('is taken by one of two reviewers at once', async () => {
    const requestId = await submit();
    await bringTo(requestId, 'reviewing');
    const states = ['approved', 'rejected', 'spam', 'approved', 'rejected', 'spam'];
    const answers = await Promise.all(states.map((status) => decide(requestId, { status })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    const [request] = (await list()).accessRequests.filter((one: any) => one.requestId === requestId);
    expect(request.history).toHaveLength(2);
    expect(request.status).toBe(answers.find(({ status }) => status === 200)!.body.status);
  });

  it('that makes no tenant takes no name and no tier for one', async () => {
    const { status, body } = await decide(await submit(), { status: 'reviewing', newTenantId: 'x', tier: 'pro' });
    expect([status, body.issues.map(({ path }: any) => path)]).toEqual([400, ['body.newTenantId', 'body.tier']]);
  });
});

describe('provisioning', () => {
  it('makes the tenant, its key and an owner who can sign in, and notifies the requester', async () => {
    const requestId = await submit({ ...FULL, requesterEmail: 'Grace@Example.org', tenantId: 'cobol' });
    await bringTo(requestId, 'reviewing', 'approved');
    const key = { 'x-idempotency-key': 'provision-cobol' };
    const answer = await decide(requestId, { status: 'provisioned', reason: 'Welcome' }, operator, key);
    const { provisioned, ...request } = answer.body;
    expect([answer.status, request.status, request.provisionedTenantId, request.allowed]).toEqual([
      200,
      'provisioned',
      'cobol',
      [],
    ]);
    expect(provisioned).toEqual({
      tenant_id: 'cobol',
      tier: 'pro',
      api_key: expect.stringMatching(/^svc_key_/),
      invite: {
        inviteToken: expect.any(String),
        inviteUrl: expect.stringContaining('http'),
        expiresAt: expect.any(String),
      },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');

    const made = caller(api.url, 'cobol', provisioned.api_key);
    expect((await made('GET', '/v1/documents')).status).toBe(200);
    const accepted = await send(api.url, 'POST', '/v1/org/accept-invite', { token: provisioned.invite.inviteToken });
    expect([accepted.status, accepted.body.tenantId, accepted.body.seatRole, accepted.body.seatEmail]).toEqual([
      200,
      'cobol',
      'owner',
      'grace@example.org',
    ]);
    const [received] = (await mail.until(1)).slice(-1);
    expect(received!.to).toBe('grace@example.org');
    expect(received!.text).toContain(provisioned.invite.inviteUrl);
    expect(received!.text).not.toContain(provisioned.api_key);

    // A repeat shows the same once more, from a copy that the database cannot read.
    const again = await decide(requestId, { status: 'provisioned', reason: 'Welcome' }, operator, key);
    expect([again.headers.get('x-idempotency-replayed'), again.body]).toEqual(['true', answer.body]);
    const secret = secretOf(provisioned.api_key);
    for (const table of ['idempotent_request', 'access_request', 'access_request_change', 'outbox_event', 'receipt'])
      expect(await api.database.query(`select 1 from ${table} t where position($1 in t::text) > 0`, [secret])).toEqual(
        [],
      );
    expect((await list(`?email=grace@example.org`)).accessRequests[0]).toEqual(request);
    expect((await decide(requestId, { status: 'provisioned' })).status).toBe(409);
  });

  it('names the tenant after the company, unless the reviewer names it', async () => {
    const byCompany = await submit({ companyName: 'Müller & Söhne' });
    await bringTo(byCompany, 'reviewing', 'approved');
    const { body } = await decide(byCompany, { status: 'provisioned' });
    expect([body.provisioned.tenant_id, body.provisioned.tier]).toEqual(['muller-sohne', 'free']);
    const chosen = await submit({ companyName: 'Müller & Söhne', requestedUserLevel: 'free' });
    await bringTo(chosen, 'reviewing', 'approved');
    const taken = await decide(chosen, { status: 'provisioned' });
    expect([taken.status, taken.body.type, taken.body.newTenantId]).toEqual([409, 'TenantTaken', 'muller-sohne']);
    const named = await decide(chosen, { status: 'provisioned', newTenantId: 'muller-2', tier: 'team' });
    expect([named.body.provisioned.tenant_id, named.body.provisioned.tier]).toEqual(['muller-2', 'team']);
  });

  it.each([
    ['no name', {}],
    ['a name that cannot be one', { tenantId: 'with a space', companyName: 'Fine' }],
  ])('asks the reviewer for a name where there is %s', async (_what, members) => {
    const requestId = await submit(members);
    await bringTo(requestId, 'reviewing', 'approved');
    const { status, body } = await decide(requestId, { status: 'provisioned' });
    expect([status, body.issues[0].path]).toEqual([400, 'body.newTenantId']);
  });

  it('gives a tenant that exists to nobody', async () => {
    const requestId = await submit({ tenantId: 'other' });
    await bringTo(requestId, 'reviewing', 'approved');
    expect((await decide(requestId, { status: 'provisioned' })).body.type).toBe('TenantTaken');
    expect(await api.database.query(`select 1 from seat where tenant_id = 'other'`)).toEqual([]);
    expect(await api.database.query(`select 1 from api_key where tenant_id = 'other'`)).toHaveLength(1);
  });

  it.each([
    [
      'a first write registered',
      `insert into tenant (tenant_id, tier, implicit) values ('written', 'free', true)`,
      'written',
    ],
    [
      'holds data without being registered',
      `insert into graph_kind (tenant_id, kind, used_by, slot, live) values ('unknown', 'k', 'entity', 0, 1)`,
      'unknown',
    ],
  ])('gives a name that %s to nobody', async (_what, statement, tenantId) => {
    await api.database.query(statement);
    const requestId = await submit({ tenantId });
    await bringTo(requestId, 'reviewing', 'approved');
    expect((await decide(requestId, { status: 'provisioned' })).body.type).toBe('TenantTaken');
  });

  it('of one name for two requests at once makes one tenant', async () => {
    const ids = [await submit({ tenantId: 'raced' }), await submit({ tenantId: 'raced' })];
    for (const id of ids) await bringTo(id, 'reviewing', 'approved');
    const answers = await Promise.all(ids.map((id) => decide(id, { status: 'provisioned' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await api.database.query(`select 1 from api_key where tenant_id = 'raced'`)).toHaveLength(1);
    expect(await api.database.query(`select 1 from seat where tenant_id = 'raced'`)).toHaveLength(1);
  });

  it('leaves nothing of any tenant when its last step fails, and can be done then', async () => {
    const requestId = await submit({ tenantId: 'late', requesterEmail: 'late@example.org' });
    await bringTo(requestId, 'reviewing', 'approved');
    const owner = await givenSeat(api, 'acme', 'owner');
    // The database itself refuses what would be the last of it: the event of the decision.
    const superuser = new Client({ connectionString: api.database.superuserUrl });
    await superuser.connect();
    await superuser.query(`
      create function refuse_provisioned() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
      create trigger refuse_provisioned before insert on outbox_event for each row
        when (new.kind = 'access_request.provisioned') execute function refuse_provisioned()`);
    try {
      const failed = await owner.call('POST', `/v1/org/access-requests/${requestId}/status`, { status: 'provisioned' });
      expect(failed.status).toBe(500);
    } finally {
      await superuser.query('drop trigger refuse_provisioned on outbox_event; drop function refuse_provisioned()');
      await superuser.end();
    }
    for (const table of ['tenant', 'api_key', 'seat', 'outgoing_mail', 'outbox_event'])
      expect([table, await api.database.query(`select 1 from ${table} where tenant_id = 'late'`)]).toEqual([table, []]);
    const { body } = await owner.call('POST', `/v1/org/access-requests/${requestId}/status`, { status: 'provisioned' });
    expect([body.status, body.provisioned.tenant_id]).toEqual(['provisioned', 'late']);
    expect(
      (await api.database.query(`select 1 from access_request_change where request_id = $1`, [requestId])).length,
    ).toBe(3);
  });
});
