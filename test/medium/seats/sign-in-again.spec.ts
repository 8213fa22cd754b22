import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send, startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { accept, givenMember, someEmail, until, type Member } from './given.js';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let api: TestApi;
let acme: TestTenant;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
});
afterAll(() => api.close());

const invite = (by: Pick<TestTenant, 'call'>, email: string, role?: string) =>
  by.call('POST', '/v1/org/invite', { email, role });
const tryAccept = (token: string) => send(api.url, 'POST', '/v1/org/accept-invite', { token });
const verdict = ({ status, body }: Answer) => `${status} ${body.type ?? body.seat?.status ?? body.seatRole}`;
const readSeat = async (tenant: TestTenant, { email }: Member) =>
  (await tenant.call('GET', `/v1/org/seats?email=${email}`)).body.seats[0];
const kindsOf = async (table: 'outbox_event' | 'receipt', seatId: string, order: string) =>
  (
    await api.database.query<{ kind: string }>(`select kind from ${table} where subject = $1 order by ${order}`, [
      seatId,
    ])
  ).map(({ kind }) => kind);

describe('an invitation of an active seat', () => {
  it('opens another session, once, and leaves the seat as it is', async () => {
    const member = await givenMember(api.url, acme, 'viewer');
    const before = await readSeat(acme, member);
    await member.call('POST', '/frontdoor/auth/logout', {});
    const invited = await invite(acme, member.email.toUpperCase().replace('EXAMPLE.ORG', 'example.org'));
    expect([invited.status, invited.body]).toEqual([
      201,
      {
        seat: before,
        inviteToken: expect.stringMatching(/^svc_inv_/),
        inviteUrl: `${api.url}/frontdoor/accept-invite#token=${invited.body.inviteToken}`,
        expiresAt: TIME,
      },
    ]);
    const named = await invite(acme, member.email, 'viewer');
    expect(verdict(await tryAccept(invited.body.inviteToken))).toBe('404 InviteUnknown');
    const answers = await Promise.all(Array.from({ length: 4 }, () => tryAccept(named.body.inviteToken)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
    expect(answers.find(({ status }) => status === 200)!.body.seat).toEqual(before);

    const again = await accept(api.url, (await invite(acme, member.email)).body.inviteToken);
    expect((await again.call('GET', '/frontdoor/auth/session')).body.seatId).toBe(member.seatId);
    expect(await kindsOf('outbox_event', member.seatId, 'position')).toEqual(
      'invited accepted sign_in_invited sign_in_invited signed_in sign_in_invited signed_in'
        .split(' ')
        .map((kind) => `seat.${kind}`),
    );
    expect(await kindsOf('receipt', member.seatId, 'seq')).toEqual([
      'seat.accepted',
      'seat.signed_in',
      'seat.signed_in',
    ]);
  });

  it('asks for no other role, member included, and for an owner only on behalf of an owner', async () => {
    const [viewer, admin, owner] = [
      await givenMember(api.url, acme, 'viewer'),
      await givenMember(api.url, acme, 'admin'),
      await givenMember(api.url, acme, 'owner'),
    ];
    expect(verdict(await invite(acme, viewer.email, 'member'))).toBe('409 SeatActive');
    expect(verdict(await invite(admin, viewer.email))).toBe('201 active');
    const refused = await invite(admin, owner.email);
    expect([refused.status, refused.body.policy]).toEqual([403, 'owner_only']);
    expect(verdict(await invite(owner, owner.email))).toBe('201 active');
    expect(verdict(await tryAccept((await invite(acme, owner.email)).body.inviteToken))).toBe('200 active');
  });

  it('does not open the role that the seat is given later', async () => {
    const [admin, member] = [await givenMember(api.url, acme, 'admin'), await givenMember(api.url, acme, 'member')];
    const { inviteToken } = (await invite(admin, member.email)).body;
    await acme.call('PUT', `/v1/org/seats/${member.seatId}`, { role: 'owner' });
    expect(verdict(await tryAccept(inviteToken))).toBe('404 InviteUnknown');
    const own = (await invite(acme, member.email)).body;
    await acme.call('PUT', `/v1/org/seats/${member.seatId}`, { role: 'viewer' });
    expect(verdict(await tryAccept(own.inviteToken))).toBe('404 InviteUnknown');
    const back = await accept(api.url, (await invite(acme, member.email)).body.inviteToken);
    expect(back.role).toBe('viewer');
  });
});

describe('invitations end with their issuer', () => {
  const twoBy = async (by: Pick<TestTenant, 'call'>, tenant: TestTenant) => {
    const member = await givenMember(api.url, tenant, 'member');
    return [(await invite(by, someEmail())).body, (await invite(by, member.email)).body];
  };
  const expectEnded = async (made: { inviteToken: string }[]) => {
    const unknown = await tryAccept('x'.repeat(16));
    for (const { inviteToken } of made) {
      const refused = await tryAccept(inviteToken);
      expect({ ...refused.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
    }
  };

  it('a seat that is revoked or given another role', async () => {
    const tenant = await api.addTenant('ending-seats');
    for (const end of ['DELETE', 'PUT']) {
      const admin = await givenMember(api.url, tenant, 'admin');
      const made = await twoBy(admin, tenant);
      const others = await twoBy(tenant, tenant);
      const replaced = (await invite(admin, someEmail())).body.seat;
      const kept = (await invite(tenant, replaced.userEmail)).body;
      const body = end === 'PUT' ? { role: 'viewer' } : undefined;
      expect((await tenant.call(end, `/v1/org/seats/${admin.seatId}`, body)).status).toBe(200);
      await expectEnded(made);
      for (const { inviteToken } of [...others, kept]) expect((await tryAccept(inviteToken)).status).toBe(200);
      expect(verdict(await invite(tenant, made[0]!.seat.userEmail))).toBe('201 pending');
    }
  });

  it('a key that is revoked or rotated; not those of another tenant', async () => {
    const [tenant, rival] = [await api.addTenant('ending-keys'), await api.addTenant('lasting-keys')];
    const theirs = await twoBy(rival, rival);
    for (const [method, path] of [
      ['DELETE', ''],
      ['POST', '/rotate'],
    ] as const) {
      const { id, apiKey } = (await tenant.call('POST', '/v1/org/api-keys', { label: 'script' })).body;
      const byKey = (verb: string, address: string, body?: object) =>
        tenant.call(verb, address, body, { 'x-api-key': apiKey });
      const made = await twoBy({ call: byKey }, tenant);
      const ended = await tenant.call(method, `/v1/org/api-keys/${id}${path}`, method === 'POST' ? {} : undefined);
      expect([ended.status, ended.text]).toEqual([method === 'POST' ? 201 : 200, expect.any(String)]);
      await expectEnded(made);
    }
    for (const { inviteToken } of theirs) expect((await tryAccept(inviteToken)).status).toBe(200);
  });

  it('also when the command line ends a key, without the lock of the routes, while it invites', async () => {
    const tenant = await api.addTenant('racing');
    const email = someEmail();
    const { seat } = (await invite(tenant, email)).body;
    const { id, apiKey } = (await tenant.call('POST', '/v1/org/api-keys', { label: 'script' })).body;
    const client = new Client(api.database.urlAs('svc_operator'));
    const watcher = new Client({ connectionString: api.database.superuserUrl });
    await Promise.all([client.connect(), watcher.connect()]);
    const waiting = async () =>
      (
        await watcher.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).rowCount;
    try {
      await client.query('begin');
      await client.query('select 1 from seat where seat_id = $1 for update', [seat.id]);
      const inviting = tenant.call('POST', '/v1/org/invite', { email }, { 'x-api-key': apiKey });
      await until(async () => (await waiting()) === 1);
      let isEnded = false;
      const ending = api.database
        .query('update api_key set revoked_at = now() where tenant_id = $1 and key_id = $2', ['racing', id])
        .then(() => (isEnded = true));
      await until(async () => isEnded || (await waiting()) === 2);
      await client.query('commit');
      const [invited] = await Promise.all([inviting, ending]);
      expect(verdict(invited)).toBe('201 pending');
      await expectEnded([invited.body]);
    } finally {
      await Promise.all([client.end(), watcher.end()]);
    }
  });
});
