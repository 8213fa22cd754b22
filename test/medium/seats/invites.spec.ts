import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bySession, send, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { accept, cookieOf, givenMember, someEmail } from './given.js';

const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const DAY_MS = 86_400_000;

let api: TestApi;
let acme: TestTenant;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
});
afterAll(() => api.close());

const invite = (email: string, role?: string, tenant = acme) => tenant.call('POST', '/v1/org/invite', { email, role });
const tryAccept = (token: string) => send(api.url, 'POST', '/v1/org/accept-invite', { token });
const age = (seatId: string) =>
  api.database.query(`update seat set invite_expires_at = now() - interval '1 second' where seat_id = $1`, [seatId]);

describe('bootstrapping an owner', () => {
  it('makes the first one, pending, once', async () => {
    const tenant = await api.addTenant('fresh');
    const first = await tenant.call('POST', '/v1/org/bootstrap-owner', { email: 'Ada@Example.org' });
    const seat = {
      id: UUID,
      tenantId: 'fresh',
      userEmail: 'ada@example.org',
      role: 'owner',
      status: 'pending',
      invitedAt: TIME,
      acceptedAt: null,
      revokedAt: null,
      invitedBy: null,
    };
    expect([first.status, first.body]).toEqual([
      201,
      {
        ...seat,
        seat,
        inviteToken: expect.stringMatching(/^svc_inv_[\w-]+\.[0-9a-f-]{36}\.[\w-]{43}$/),
        inviteUrl: `${api.url}/frontdoor/accept-invite#token=${first.body.inviteToken}`,
        expiresAt: TIME,
      },
    ]);
    expect(Date.parse(first.body.expiresAt) - Date.parse(first.body.invitedAt)).toBe(7 * DAY_MS);

    for (const email of ['ada@example.org', someEmail()]) {
      const again = await tenant.call('POST', '/v1/org/bootstrap-owner', { email });
      expect([again.status, again.body.type, again.body.seatId]).toEqual([409, 'OwnerExists', first.body.id]);
    }
    await accept(api.url, first.body.inviteToken);
    const later = await tenant.call('POST', '/v1/org/bootstrap-owner', { email: someEmail() });
    expect([later.status, later.body.type]).toEqual([409, 'OwnerExists']);
  });

  it('gives way when its invitation expired, to the same e-mail or another', async () => {
    const tenant = await api.addTenant('forgetful');
    const bootstrap = (email: string) => tenant.call('POST', '/v1/org/bootstrap-owner', { email });
    const first = await bootstrap('one@example.org');
    await age(first.body.id);
    const same = await bootstrap('one@example.org');
    expect([same.status, same.body.id]).toEqual([201, first.body.id]);
    await age(first.body.id);
    const other = await bootstrap('two@example.org');
    expect(other.status).toBe(201);
    const { seats } = (await tenant.call('GET', '/v1/org/seats')).body;
    expect(seats.map(({ userEmail, status }: any) => [userEmail, status])).toEqual([
      ['one@example.org', 'revoked'],
      ['two@example.org', 'pending'],
    ]);
  });

  it('makes one owner of many requests at once', async () => {
    const tenant = await api.addTenant('hasty');
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => tenant.call('POST', '/v1/org/bootstrap-owner', { email: someEmail() })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it('is not for an admin, who would make himself an owner', async () => {
    const tenant = await api.addTenant('ambitious');
    const admin = await givenMember(api.url, tenant, 'admin');
    const refused = await admin.call('POST', '/v1/org/bootstrap-owner', { email: someEmail() });
    expect([refused.status, refused.body.type]).toEqual([409, 'OwnerNeedsKey']);
    expect((await tenant.call('POST', '/v1/org/bootstrap-owner', { email: admin.email })).body.type).toBe('SeatActive');
  });
});

describe('an invitation', () => {
  it('makes a member unless it says otherwise, and names the seat that invited', async () => {
    const admin = await givenMember(api.url, acme, 'admin');
    const invited = await admin.call('POST', '/v1/org/invite', { email: 'Grace@Example.ORG' });
    expect([invited.status, invited.body]).toEqual([
      201,
      {
        seat: {
          id: UUID,
          tenantId: 'acme',
          userEmail: 'grace@example.org',
          role: 'member',
          status: 'pending',
          invitedAt: TIME,
          acceptedAt: null,
          revokedAt: null,
          invitedBy: admin.seatId,
        },
        inviteToken: expect.any(String),
        inviteUrl: `${api.url}/frontdoor/accept-invite#token=${invited.body.inviteToken}`,
        expiresAt: TIME,
      },
    ]);
    expect(invited.headers.get('cache-control')).toBe('no-store');
  });

  it('signs in the person who accepts it, once, without any other credential', async () => {
    const { body: invited } = await invite(someEmail(), 'viewer');
    const accepted = await tryAccept(invited.inviteToken);
    expect([accepted.status, accepted.body]).toEqual([
      200,
      {
        tenantId: 'acme',
        authType: 'seat',
        expiresAt: TIME,
        seatId: invited.seat.id,
        seatRole: 'viewer',
        seatEmail: invited.seat.userEmail,
        seat: { ...invited.seat, status: 'active', acceptedAt: TIME },
      },
    ]);
    expect(accepted.headers.get('set-cookie')).toMatch(
      /^svc_session=[^;]{60,}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const call = bySession(api.url, cookieOf(accepted));
    expect((await call('POST', '/v1/retrieve', { query: 'anything' })).status).toBe(200);
    expect((await call('GET', '/v1/org/seats')).body.type).toBe('Forbidden');
    expect((await tryAccept(invited.inviteToken)).body.type).toBe('InviteUnknown');
  });

  it('is accepted by one of many at once', async () => {
    const { inviteToken } = (await invite(someEmail())).body;
    const answers = await Promise.all(Array.from({ length: 6 }, () => tryAccept(inviteToken)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
    expect(answers.filter((answer) => cookieOf(answer) !== '')).toHaveLength(1);
  });

  it('replaces the one before for the same e-mail, whatever its letter case', async () => {
    const first = (await invite('Twice@example.org', 'viewer')).body;
    const second = (await invite('twice@EXAMPLE.org', 'admin')).body;
    expect([second.seat.id, second.seat.role]).toEqual([first.seat.id, 'admin']);
    expect((await tryAccept(first.inviteToken)).status).toBe(404);
    expect((await tryAccept(second.inviteToken)).body.seatRole).toBe('admin');
    const third = await invite('twice@example.org', 'member');
    expect([third.status, third.body.type, third.body.seatId]).toEqual([409, 'SeatActive', first.seat.id]);
  });

  it('takes letters beyond ASCII as they are, as they may be of somebody else', async () => {
    const kept = async (email: string) => (await invite(email)).body.seat;
    const capital = await kept('ÄNNE@Corp.example');
    expect(capital.userEmail).toBe('Änne@corp.example');
    expect((await kept('Änne@corp.example')).id).toBe(capital.id);
    const small = await kept('änne@corp.example');
    const found = await acme.call('GET', `/v1/org/seats?email=${encodeURIComponent('änNE@corp.example')}`);
    expect(found.body.seats.map(({ id }: any) => id)).toEqual([small.id]);
    expect(small.id).not.toBe(capital.id);
  });

  it('is one seat for an e-mail that is invited many times at once', async () => {
    const email = someEmail('crowd');
    const answers = await Promise.all(Array.from({ length: 6 }, () => invite(email)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.seat.id}`)).size).toBe(1);
    const outcomes = await Promise.all(answers.map(({ body }) => tryAccept(body.inviteToken)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
  });

  it('opens nothing once used, replaced, withdrawn or expired, or when it never was: one answer for all', async () => {
    const used = (await invite(someEmail())).body;
    await tryAccept(used.inviteToken);
    const withdrawn = (await invite(someEmail())).body;
    await acme.call('DELETE', `/v1/org/seats/${withdrawn.seat.id}`);
    const expired = (await invite(someEmail())).body;
    await age(expired.seat.id);
    const live = (await invite(someEmail())).body.inviteToken as string;
    const forged = live.slice(0, -1) + (live.endsWith('A') ? 'B' : 'A');
    const elsewhere = live.replace(/svc_inv_[^.]+/, `svc_inv_${Buffer.from('nobody').toString('base64url')}`);
    const dead = [used.inviteToken, withdrawn.inviteToken, expired.inviteToken, forged, elsewhere, `${live}x`];
    const shapeless = [
      'x'.repeat(16),
      'svc_inv_',
      '\ud7ff'.repeat(16),
      `svc_inv_AA.${'0'.repeat(36)}.${'x'.repeat(43)}`,
    ];
    const answers = await Promise.all([...dead, ...shapeless.map((token) => token.padEnd(16, '.'))].map(tryAccept));
    const bodies = answers.map(({ status, body, headers }) => [
      status,
      { ...body, request_id: '' },
      headers.get('set-cookie'),
    ]);
    expect(new Set(bodies.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(bodies[0]).toEqual([404, expect.objectContaining({ type: 'InviteUnknown' }), null]);
    expect((await tryAccept(live)).status).toBe(200);
  });

  it('can come again after a revocation, as a new seat', async () => {
    const email = someEmail('returning');
    const first = await accept(api.url, (await invite(email)).body.inviteToken);
    await acme.call('DELETE', `/v1/org/seats/${first.seatId}`);
    const second = await accept(api.url, (await invite(email)).body.inviteToken);
    expect(second.seatId).not.toBe(first.seatId);
  });

  it.each<[string, object, string]>([
    ['no e-mail', {}, 'body.email'],
    ['no e-mail address', { email: 'nobody' }, 'body.email'],
    ['a list', { email: ['a@example.org'] }, 'body.email'],
    ['a NUL', { email: 'a\0@example.org' }, 'body.email'],
    [
      'too long an e-mail',
      { email: `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.org` },
      'body.email',
    ],
    ['the owner role', { email: 'a@example.org', role: 'owner' }, 'body.role'],
    ['an unknown role', { email: 'a@example.org', role: 'root' }, 'body.role'],
    ['an unknown member', { email: 'a@example.org', note: 'hi' }, 'body.note'],
  ])('is refused for %s', async (_what, body, path) => {
    const refused = await acme.call('POST', '/v1/org/invite', body);
    expect([refused.status, refused.body.issues[0].path]).toEqual([400, path]);
  });

  it('asks for a token of 16 characters', async () => {
    for (const body of [{}, { token: 'x'.repeat(15) }, { token: 16 }]) {
      const refused = await send(api.url, 'POST', '/v1/org/accept-invite', body);
      expect([refused.status, refused.body.issues[0].path]).toEqual([400, 'body.token']);
    }
  });
});

describe('the page of an invitation', () => {
  it('is one file under a policy that allows its own script and nothing else', async () => {
    const page = await send(api.url, 'GET', '/frontdoor/accept-invite');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const [, script = ''] = /<script>([^]*)<\/script>/.exec(page.text) ?? [];
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(script));
    const policy = page.headers.get('content-security-policy')!;
    expect(policy).toContain(`script-src 'sha256-${Buffer.from(digest).toString('base64')}'`);
    expect(policy).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(page.text).not.toMatch(/(src|href)="(?!data:)/);
  });
});
