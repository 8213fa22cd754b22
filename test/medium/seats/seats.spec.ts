import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bySession, startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { whileLocked } from '../../kit/held-lock.js';
import { givenMember, someEmail, until, WITHIN_MS, type Member } from './given.js';

let api: TestApi;
let acme: TestTenant;
let tenants = 0;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
});
afterAll(() => api.close());

type Calling = Pick<TestTenant, 'call'>;
const changeRole = (by: Calling, seatId: string, role: string, reason?: string) =>
  by.call('PUT', `/v1/org/seats/${seatId}${reason ? `?reason=${encodeURIComponent(reason)}` : ''}`, { role });
const revoke = (by: Calling, seatId: string) => by.call('DELETE', `/v1/org/seats/${seatId}`);
const verdict = ({ status, body }: Answer) =>
  status < 300 ? `${status} ${body.role} ${body.status}` : `${status} ${body.type}`;
const someTenant = () => api.addTenant(`tenant-${++tenants}`);
const historyOf = (seatId: string) =>
  api.database.query<any>(
    'select kind, actor, former_role, role, reason from seat_event where seat_id = $1 order by event_id',
    [seatId],
  );

describe('the list of seats', () => {
  it('pages, filters, and bills active and pending seats beyond those included', async () => {
    const tenant = await api.addTenant('small', 'free');
    const bill = async () => (await tenant.call('GET', '/v1/org/seats')).body.billing;
    const billing = {
      provider: 'svc',
      includedSeats: 1,
      activeSeats: 0,
      pendingSeats: 0,
      overageSeats: 0,
      overageGbp: 0,
    };
    expect(await bill()).toEqual(billing);
    const owner = await givenMember(api.url, tenant, 'owner');
    expect(await bill()).toEqual({ ...billing, activeSeats: 1 });
    const pending = (await tenant.call('POST', '/v1/org/invite', { email: 'p@example.org', role: 'viewer' })).body.seat;
    const admin = await givenMember(api.url, tenant, 'admin');
    expect(await bill()).toEqual({ ...billing, activeSeats: 2, pendingSeats: 1, overageSeats: 2, overageGbp: 16 });
    await revoke(tenant, admin.seatId);
    expect(await bill()).toEqual({ ...billing, activeSeats: 1, pendingSeats: 1, overageSeats: 1, overageGbp: 8 });

    const list = async (query: string) =>
      (await tenant.call('GET', `/v1/org/seats?${query}`)).body.seats.map(({ id }: any) => id);
    expect(await list('')).toEqual([owner.seatId, pending.id, admin.seatId]);
    expect(await list('status=pending')).toEqual([pending.id]);
    expect(await list('role=admin')).toEqual([admin.seatId]);
    expect(await list('email=P%40Example.org')).toEqual([pending.id]);
    expect(await list('status=active&role=viewer')).toEqual([]);
    const walked = [];
    for (let cursor = ''; ;) {
      const { body } = await tenant.call('GET', `/v1/org/seats?limit=1${cursor && `&cursor=${cursor}`}`);
      walked.push(...body.seats.map(({ id }: any) => id));
      if (body.next_cursor === null) break;
      cursor = body.next_cursor;
    }
    expect(walked).toEqual([owner.seatId, pending.id, admin.seatId]);
  });

  it.each([
    ['team', 25],
    ['pro', 10],
    ['starter', 3],
  ] as const)('includes the seats of the tier %s', async (tier, included) => {
    const tenant = await api.addTenant(`of-${tier}`, tier);
    expect((await tenant.call('GET', '/v1/org/seats')).body.billing.includedSeats).toBe(included);
  });
});

describe('a change of role', () => {
  it('answers the seat, ends its sessions, and is kept with who, when and why', async () => {
    const member = await givenMember(api.url, acme, 'member');
    const owner = await givenMember(api.url, acme, 'owner');
    const changed = await changeRole(owner, member.seatId, 'viewer', 'left the project');
    expect([changed.status, changed.body]).toEqual([
      200,
      expect.objectContaining({ id: member.seatId, role: 'viewer', status: 'active', revokedAt: null }),
    ]);
    expect((await member.call('GET', '/v1/corpora')).status).toBe(401);
    expect(await historyOf(member.seatId)).toEqual([
      { kind: 'invited', actor: `key:${acme.keyId}`, former_role: null, role: 'member', reason: null },
      { kind: 'accepted', actor: `seat:${member.seatId}`, former_role: null, role: 'member', reason: null },
      {
        kind: 'role_changed',
        actor: `seat:${owner.seatId}`,
        former_role: 'member',
        role: 'viewer',
        reason: 'left the project',
      },
    ]);
    const events = await api.database.query<any>('select kind from outbox_event where subject = $1 order by position', [
      member.seatId,
    ]);
    expect(events.map(({ kind }) => kind)).toEqual(['seat.invited', 'seat.accepted', 'seat.role_changed']);
    const receipts = await api.database.query<any>('select kind from receipt where subject = $1 order by seq', [
      member.seatId,
    ]);
    expect(receipts.map(({ kind }) => kind)).toEqual(['seat.accepted', 'seat.role_changed']);
  });

  it('to the role it has changes nothing and leaves its sessions', async () => {
    const member = await givenMember(api.url, acme, 'member');
    expect(verdict(await changeRole(acme, member.seatId, 'member'))).toBe('200 member active');
    expect((await member.call('GET', '/v1/corpora')).status).toBe(200);
    expect(await historyOf(member.seatId)).toHaveLength(2);
  });

  it('of an invitation holds when it is accepted', async () => {
    const { seat, inviteToken } = (await acme.call('POST', '/v1/org/invite', { email: someEmail() })).body;
    expect(verdict(await changeRole(acme, seat.id, 'owner'))).toBe('200 owner pending');
    const answer = await acme.call('POST', '/v1/org/accept-invite', { token: inviteToken });
    expect(answer.body.seatRole).toBe('owner');
  });

  it("does not make an owner's invitation of one whose token an admin, or a former owner, has", async () => {
    const [admin, owner] = [await givenMember(api.url, acme, 'admin'), await givenMember(api.url, acme, 'owner')];
    const email = someEmail();
    for (const inviter of [admin, owner]) {
      const { seat } = (await inviter.call('POST', '/v1/org/invite', { email })).body;
      if (inviter === owner) await changeRole(acme, owner.seatId, 'admin');
      expect(verdict(await changeRole(acme, seat.id, 'owner'))).toBe('409 InvitationOfNonOwner');
      expect(verdict(await changeRole(acme, seat.id, 'admin'))).toBe('200 admin pending');
    }
    const again = (await acme.call('POST', '/v1/org/invite', { email })).body;
    expect(verdict(await changeRole(acme, again.seat.id, 'owner'))).toBe('200 owner pending');
  });

  it('needs an owner where an owner is made or unmade', async () => {
    const [admin, owner, other] = [
      await givenMember(api.url, acme, 'admin'),
      await givenMember(api.url, acme, 'owner'),
      await givenMember(api.url, acme, 'owner'),
    ];
    expect(verdict(await changeRole(admin, admin.seatId, 'owner'))).toBe('403 Forbidden');
    expect(verdict(await changeRole(admin, owner.seatId, 'member'))).toBe('403 Forbidden');
    expect(verdict(await changeRole(admin, owner.seatId, 'owner'))).toBe('403 Forbidden');
    expect(verdict(await revoke(admin, owner.seatId))).toBe('403 Forbidden');
    const promised = (await acme.call('POST', '/v1/org/invite', { email: someEmail(), role: 'viewer' })).body.seat;
    await changeRole(owner, promised.id, 'owner');
    const usurped = await admin.call('POST', '/v1/org/invite', { email: promised.userEmail });
    expect([usurped.status, usurped.body.policy]).toEqual([403, 'owner_only']);
    expect(verdict(await changeRole(other, owner.seatId, 'admin'))).toBe('200 admin active');
    expect(verdict(await changeRole(other, admin.seatId, 'owner'))).toBe('200 owner active');
  });

  it('is refused for a seat that was revoked, that is not there, or is of another tenant', async () => {
    const member = await givenMember(api.url, acme, 'member');
    await revoke(acme, member.seatId);
    expect(verdict(await changeRole(acme, member.seatId, 'admin'))).toBe('409 SeatRevoked');
    expect(verdict(await changeRole(acme, crypto.randomUUID(), 'admin'))).toBe('404 SeatUnknown');
    const rival = await someTenant();
    const theirs = await givenMember(api.url, rival, 'member');
    expect(verdict(await changeRole(acme, theirs.seatId, 'viewer'))).toBe('404 SeatUnknown');
    expect(verdict(await revoke(acme, theirs.seatId))).toBe('404 SeatUnknown');
    expect((await theirs.call('GET', '/v1/corpora')).status).toBe(200);
    const { text } = await acme.call('GET', `/v1/org/seats?email=${theirs.email}`);
    expect([text.includes(theirs.seatId), text.includes(rival.tenantId)]).toEqual([false, false]);
  });

  it.each<[object, string]>([
    [{}, 'body.role'],
    [{ role: 'root' }, 'body.role'],
    [{ role: 'viewer', email: 'a@example.org' }, 'body.email'],
  ])('refuses the body %j', async (body, path) => {
    const refused = await acme.call('PUT', `/v1/org/seats/${crypto.randomUUID()}`, body);
    expect([refused.status, refused.body.issues[0].path]).toEqual([400, path]);
  });
});

describe('the last owner', () => {
  it('can neither be removed nor demoted, not even by a key; an invitation to be owner does not count', async () => {
    const tenant = await someTenant();
    const owner = await givenMember(api.url, tenant, 'owner');
    const invited = (await tenant.call('POST', '/v1/org/invite', { email: someEmail() })).body.seat;
    await changeRole(owner, invited.id, 'owner');
    for (const by of [tenant, owner]) {
      expect(verdict(await changeRole(by, owner.seatId, 'admin'))).toBe('409 LastOwner');
      expect(verdict(await revoke(by, owner.seatId))).toBe('409 LastOwner');
    }
    expect(verdict(await revoke(owner, invited.id))).toBe('200 owner revoked');
    const heir = await givenMember(api.url, tenant, 'owner');
    expect(verdict(await revoke(owner, owner.seatId))).toBe('200 owner revoked');
    expect(verdict(await revoke(heir, heir.seatId))).toBe('409 LastOwner');
  });

  it('stays when two owners demote each other at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const tenant = await someTenant();
      const [one, two] = [await givenMember(api.url, tenant, 'owner'), await givenMember(api.url, tenant, 'owner')];
      const answers = await Promise.all([changeRole(one, two.seatId, 'member'), revoke(two, one.seatId)]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const { seats } = (await tenant.call('GET', '/v1/org/seats?status=active&role=owner')).body;
      expect(seats).toHaveLength(1);
    }
  });

  it('is safe from somebody who loses the right while his request waits', async () => {
    const tenant = await someTenant();
    const [one, two, three] = [
      await givenMember(api.url, tenant, 'owner'),
      await givenMember(api.url, tenant, 'owner'),
      await givenMember(api.url, tenant, 'owner'),
    ];
    const row = `select 1 from tenant where tenant_id = '${tenant.tenantId}' for no key update`;
    await whileLocked(api.database, row, async (held) => {
      const first = changeRole(one, two.seatId, 'viewer');
      await held.waitForBlocked(1);
      // Let in by the guards, while the first has not happened yet.
      const second = changeRole(two, three.seatId, 'viewer');
      await held.waitForBlocked(2);
      await held.commit();
      expect([verdict(await first), verdict(await second)]).toEqual(['200 viewer active', '403 Forbidden']);
    });
    const { seats } = (await tenant.call('GET', '/v1/org/seats?role=owner')).body;
    expect(seats.map(({ id }: any) => id)).toEqual([one.seatId, three.seatId]);
  });
});

describe('a revocation', () => {
  it('answers the seat as it is, then and later, and cannot be undone', async () => {
    const member = await givenMember(api.url, acme, 'member');
    const first = await acme.call('DELETE', `/v1/org/seats/${member.seatId}?reason=gone`);
    expect([first.status, first.body.status, first.body.revokedAt]).toEqual([200, 'revoked', expect.any(String)]);
    expect((await revoke(acme, member.seatId)).body).toEqual(first.body);
    expect((await historyOf(member.seatId)).at(-1)).toEqual({
      kind: 'revoked',
      actor: `key:${acme.keyId}`,
      former_role: null,
      role: 'member',
      reason: 'gone',
    });
  });

  it('and a change of role end what the seat has open in another server within a second', async () => {
    const second = await startApi({ database: api.database });
    try {
      const ends = async (how: (member: Member) => Promise<Answer>) => {
        const member = await givenMember(api.url, acme, 'member');
        const there = bySession(second.url, member.cookie);
        // Twice, so that the second server has its verdict in memory.
        expect([(await there('GET', '/v1/corpora')).status, (await there('GET', '/v1/corpora')).status]).toEqual([
          200, 200,
        ]);
        expect((await how(member)).status).toBe(200);
        return until(async () => (await there('GET', '/v1/corpora')).status === 401);
      };
      expect(await ends((member) => revoke(acme, member.seatId))).toBeLessThan(WITHIN_MS);
      expect(await ends((member) => changeRole(acme, member.seatId, 'admin'))).toBeLessThan(WITHIN_MS);
    } finally {
      await second.close();
    }
  });

  it('is kept for good: the application cannot change the history', async () => {
    await expect(api.database.query(`update seat_event set actor = 'x'`)).rejects.toThrow(/permission denied/);
    await expect(api.database.query('delete from seat_event')).rejects.toThrow(/permission denied/);
  });
});
