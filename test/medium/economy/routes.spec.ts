import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { balancesOf, givenCredits, givenShared, ledgerFaults } from './given.js';

const UUID = /^[0-9a-f-]{36}$/;
const TIME = /^\d{4}-\d\d-\d\dT.*Z$/;
const MONTH = new Date().toISOString().slice(0, 7);
const TODAY = () => new Date().toISOString().slice(0, 10);

let api: TestApi;
let shared: TestTenant;
beforeAll(async () => {
  api = await startApi();
  shared = await api.addTenant('library', 'starter');
  await givenShared(shared, 'public_safe');
});
afterEach(async () => expect(await ledgerFaults(api.database)).toEqual([]));
afterAll(() => api.close());

const balanceOf = async (tenant: TestTenant, agentId = 'a') =>
  (await tenant.call('GET', `/v1/credits/${encodeURIComponent(agentId)}`)).body;
const convert = (tenant: TestTenant, credits: number, agentId = 'a') =>
  tenant.call('POST', '/v1/economy/convert', { agentId, credits });
const preview = (tenant: TestTenant, credits: number, agentId = 'a') =>
  tenant.call('POST', '/v1/economy/convert/preview', { agentId, credits }, { 'x-idempotency-key': '' });

describe('credits', () => {
  it('of an agent are listed by where they are', async () => {
    const tenant = await api.addTenant('reporting', 'pro');
    await givenCredits(api, 'reporting', 'the one: with/strange?name', 40);
    const [year, month] = MONTH.split('-').map(Number) as [number, number];
    expect(await balanceOf(tenant, 'the one: with/strange?name')).toEqual({
      agentId: 'the one: with/strange?name',
      balance: 20_040,
      breakdown: { own: 40, allowance: 20_000, earnings: 0 },
      escrow: 0,
      allowance: { month: MONTH, monthlyCredits: 20_000, renewsAt: new Date(Date.UTC(year, month)).toISOString() },
      tier: 'pro',
      asOf: expect.stringMatching(TIME),
    });
    expect((await balanceOf(tenant, 'nobody')).breakdown).toEqual({ own: 0, allowance: 20_000, earnings: 0 });
  });

  it('pay for retrievals of the commons, in every lane, and for nothing else', async () => {
    const tenant = await api.addTenant('reader', 'free');
    await givenShared(tenant, 'owner_only', { corpusId: 'own', content: 'Our own wombats.' });
    const retrieve = (members: object) =>
      tenant.call('POST', '/v1/retrieve', { query: 'wombats', agentId: 'a', ...members });
    for (const lane of ['light', 'verified', 'audit']) {
      expect((await retrieve({ lane })).body.credit_cost).toBe(5);
      expect((await retrieve({ lane, includeCommons: false })).body.credit_cost).toBe(0);
    }
    expect((await balanceOf(tenant)).balance).toBe(485);
    await tenant.call('POST', '/v1/economy/tip-platform', { agentId: 'a', credits: 96 });
    for (let rest = 4; rest > 0; rest--)
      await tenant.call('POST', '/v1/economy/tip-platform', { agentId: 'a', credits: 96 });
    const left = (await balanceOf(tenant)).balance;
    expect(left).toBe(5);
    expect((await retrieve({})).status).toBe(200);
    for (const lane of ['light', 'verified', 'audit']) {
      const { status, body } = await retrieve({ lane });
      expect([status, body.type, body.creditBalance, body.upgradeUrl]).toEqual([
        429,
        'CreditsExhausted',
        0,
        expect.stringContaining('http'),
      ]);
      expect((await retrieve({ lane, includeCommons: false })).body.results).toHaveLength(1);
    }
    const spent = await api.database.query<{ n: number; references: number }>(
      `select count(*)::int as n, count(distinct reference)::int as references from ledger_transfer where tenant_id = 'reader' and reason = 'retrieval'`,
    );
    expect(spent).toEqual([{ n: 4, references: 4 }]);
  });

  it('of other tenants cannot be reached by any name of an agent', async () => {
    const tenant = await api.addTenant('nosy', 'free');
    await givenCredits(api, 'library', 'a', 77);
    expect((await balanceOf(tenant, 'a')).balance).toBe(500);
    expect((await tenant.call('GET', '/v1/credits/a/escrow')).body.items).toEqual([]);
  });
});

describe('a tip', () => {
  it('is answered to all who repeat it at the same time, once it has ended', async () => {
    const tenant = await api.addTenant('repeater', 'free');
    const send = () =>
      tenant.call(
        'POST',
        '/v1/economy/tip-platform',
        { agentId: 'a', credits: 30 },
        { 'x-idempotency-key': 'tip-many' },
      );
    const first = await send();
    const repeats = await Promise.all(Array.from({ length: 32 }, send));
    for (const { status, body, headers } of repeats)
      expect([status, body, headers.get('x-idempotency-replayed')]).toEqual([201, first.body, 'true']);
    expect((await balancesOf(api.database, 'repeater'))['platform']).toBe(30);
  });

  it('moves credits to the platform once, with its message and its event', async () => {
    const tenant = await api.addTenant('tipper', 'free');
    const key = { 'x-idempotency-key': 'tip-once-only' };
    const body = { agentId: 'a', credits: 30, message: 'well found' };
    const first = await tenant.call('POST', '/v1/economy/tip-platform', body, key);
    const again = await tenant.call('POST', '/v1/economy/tip-platform', body, key);
    expect(first.body).toEqual({
      tipId: expect.stringMatching(UUID),
      agentId: 'a',
      credits: 30,
      message: 'well found',
      balanceAfter: 470,
      createdAt: expect.stringMatching(TIME),
    });
    expect([first.status, again.status, again.body, again.headers.get('x-idempotency-replayed')]).toEqual([
      201,
      201,
      first.body,
      'true',
    ]);
    expect(await balancesOf(api.database, 'tipper')).toEqual({ allowance: 470, issuance: -500, platform: 30 });
    expect(
      await api.database.query(
        `select t.reason, t.principal, t.note, o.kind, o.data from ledger_transfer t join outbox_event o on o.tenant_id = t.tenant_id and o.subject = t.transfer_id::text where t.tenant_id = 'tipper' and kind = 'platform.tipped'`,
      ),
    ).toEqual([
      {
        reason: 'tip',
        principal: `key:${tenant.keyId}`,
        note: 'well found',
        kind: 'platform.tipped',
        data: {
          tipId: first.body.tipId,
          agentId: 'a',
          credits: 30,
          message: 'well found',
          actor: `key:${tenant.keyId}`,
        },
      },
    ]);
  });

  it('shows the last ten with their words to its agent, in its tenant alone', async () => {
    const [tenant, other] = [await api.addTenant('generous', 'free'), await api.addTenant('neighbour', 'free')];
    for (let credits = 1; credits <= 11; credits++)
      await tenant.call('POST', '/v1/economy/tip-platform', { agentId: 'a', credits, message: `word ${credits}` });
    const tipsOf = async ({ call }: TestTenant, agentId: string) =>
      (await call('GET', `/v1/economy/dashboard/${agentId}`)).body.tips;
    const { recent, periodTips } = await tipsOf(tenant, 'a');
    expect(periodTips).toBe(11);
    expect(recent.map(({ message }: { message: string }) => message)).toEqual(
      Array.from({ length: 10 }, (_, index) => `word ${11 - index}`),
    );
    expect([(await tipsOf(tenant, 'b')).recent, (await tipsOf(other, 'a')).recent]).toEqual([[], []]);
    const metrics = await (await fetch(`${api.url}/metrics`)).text();
    expect(Number(/^svc_tips_total (\d+)$/m.exec(metrics)![1])).toBeGreaterThanOrEqual(11);
    expect(Number(/^svc_tip_credits_total (\d+)$/m.exec(metrics)![1])).toBeGreaterThanOrEqual(66);
  });

  it('is not given beyond what there is', async () => {
    const tenant = await api.addTenant('poor', 'free');
    const tip = (credits: number) => tenant.call('POST', '/v1/economy/tip-platform', { agentId: 'a', credits });
    const tips = await Promise.all(Array.from({ length: 12 }, () => tip(60)));
    expect(tips.map(({ status }) => status).sort()).toEqual([...Array(8).fill(201), ...Array(4).fill(429)]);
    expect((await balanceOf(tenant)).balance).toBe(20);
    for (const credits of [0, -5, 1.5, '10', null, 1e12]) expect((await tip(credits as number)).status).toBe(400);
  });
});

describe('a conversion', () => {
  it('holds the credits in escrow, asks the provider by an event, and leaves a receipt', async () => {
    const tenant = await api.addTenant('converter', 'starter');
    const { status, body } = await convert(tenant, 199);
    const cap = {
      month: MONTH,
      subscriptionPence: 2900,
      capPence: 1450,
      pendingPence: 100,
      appliedPence: 0,
      remainingPence: 1350,
    };
    expect([status, body]).toEqual([
      201,
      {
        agentId: 'a',
        credits: 100,
        remainderCredits: 99,
        pence: 100,
        currency: 'GBP',
        balanceAfter: 4900,
        cap,
        conversionId: expect.stringMatching(UUID),
        status: 'pending',
        createdAt: expect.stringMatching(TIME),
        expectedAt: expect.stringMatching(TIME),
        expiresAt: new Date(Date.parse(body.createdAt) + 7 * 86_400_000).toISOString(),
        receiptId: expect.stringMatching(UUID),
      },
    ]);
    const escrow = (await tenant.call('GET', '/v1/credits/a/escrow')).body;
    expect(escrow).toEqual({
      agentId: 'a',
      escrow: 100,
      items: [
        {
          conversionId: body.conversionId,
          status: 'pending',
          credits: 100,
          pence: 100,
          currency: 'GBP',
          month: MONTH,
          requestedBy: `key:${tenant.keyId}`,
          createdAt: body.createdAt,
          expectedAt: body.expectedAt,
          expiresAt: body.expiresAt,
          settledAt: null,
          failureReason: null,
        },
      ],
      next_cursor: null,
    });
    expect((await balanceOf(tenant)).escrow).toBe(100);
    expect((await tenant.call('GET', '/v1/credits/b/escrow')).body.items).toEqual([]);
    const [event] = await api.database.query<{ data: object }>(
      `select data from outbox_event where kind = 'conversion.requested' and subject = $1`,
      [body.conversionId],
    );
    expect(event!.data).toMatchObject({
      tenantId: 'converter',
      conversionId: body.conversionId,
      pence: 100,
      currency: 'GBP',
    });
  });

  it('has pages of pending conversions', async () => {
    const tenant = await api.addTenant('pager', 'starter');
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.push((await convert(tenant, 100)).body.conversionId);
    const seen: string[] = [];
    for (let cursor = ''; cursor !== 'end';) {
      const { body } = await tenant.call('GET', `/v1/credits/a/escrow?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.items.map(({ conversionId }: { conversionId: string }) => conversionId));
      cursor = body.next_cursor ?? 'end';
    }
    expect(seen).toEqual(made);
    const bad = await tenant.call('GET', '/v1/credits/a/escrow?cursor=WyJ4Iiwxxx');
    expect([bad.status, bad.body.issues[0].path]).toEqual([400, 'query.cursor']);
  });

  it('is as previewed, whatever is asked: preview and convert agree on amount, cap, balance and refusal', async () => {
    const tenants = await Promise.all(
      (['free', 'starter', 'pro'] as const).map((tier) => api.addTenant(`agreeing-${tier}`, tier)),
    );
    const seen = new Set<string>();
    let seed = 7;
    const random = (n: number) => (seed = (seed * 48271) % 2147483647) % n;
    for (let round = 0; round < 60; round++) {
      const tenant = tenants[random(3)]!;
      // Now and then the allowance is all but spent, so that the balance and not the cap refuses.
      if (round === 30) await tenants[2]!.call('POST', '/v1/economy/tip-platform', { agentId: 'x', credits: 100 });
      const credits = 100 + random(random(4) === 0 ? 1500 : 100);
      const said = (await preview(tenant, credits)).body;
      const done = await convert(tenant, credits);
      const { accepted, refusal, ...terms } = said;
      seen.add(refusal?.type ?? (said.remainderCredits ? 'remainder' : 'whole'));
      if (done.body.type === 'ShieldApprovalRequired') continue;
      expect([credits, done.status === 201, done.body.type, done.body.message]).toEqual([
        credits,
        accepted,
        refusal?.type,
        refusal?.message,
      ]);
      if (accepted) expect(done.body).toMatchObject(terms);
    }
    expect([...seen].sort()).toEqual(expect.arrayContaining(['ConversionCapReached', 'NoSubscription', 'remainder']));
  }, 30_000);

  it('refuses like its preview when the credits do not suffice', async () => {
    const tenant = await api.addTenant('drained', 'starter');
    await api.database.query(
      `select svc_spend('drained', gen_random_uuid(), 'x', 4950, 'revenue', 'test', 'drain', 'test', null, 5000)`,
    );
    const [said, done] = [(await preview(tenant, 100)).body, await convert(tenant, 100)];
    expect([said.accepted, said.refusal.type, said.balanceAfter]).toEqual([false, 'CreditsExhausted', 50]);
    expect([done.status, done.body.type, done.body.creditBalance, done.body.message]).toEqual([
      429,
      'CreditsExhausted',
      50,
      said.refusal.message,
    ]);
  });

  it('never passes the cap, also when many ask at once', async () => {
    const tenant = await api.addTenant('eager', 'starter');
    const asked = await Promise.all(Array.from({ length: 20 }, (_, n) => convert(tenant, 100, `agent-${n % 3}`)));
    expect(asked.map(({ status }) => status).sort()).toEqual([...Array(14).fill(201), ...Array(6).fill(409)]);
    const refused = asked.find(({ status }) => status === 409)!.body;
    expect([refused.type, refused.capPence, refused.month]).toEqual(['ConversionCapReached', 1450, MONTH]);
    const [row] = await api.database.query<{ pence: number }>(
      `select sum(pence)::int as pence from conversion where tenant_id = 'eager'`,
    );
    expect(row!.pence).toBe(1400);
  });
});

describe('the dashboard', () => {
  it('adds up exactly', async () => {
    const tenant = await api.addTenant('viewer', 'starter');
    await givenCredits(api, 'viewer', 'a', 10);
    for (let i = 0; i < 3; i++) await tenant.call('POST', '/v1/retrieve', { query: 'wombats', agentId: 'a' });
    await tenant.call('POST', '/v1/retrieve', { query: 'wombats', agentId: 'another' });
    await tenant.call('POST', '/v1/economy/tip-platform', { agentId: 'a', credits: 8 });
    await convert(tenant, 100);
    const { status, body } = await tenant.call('GET', '/v1/economy/dashboard/a?days=7');
    const from = new Date(Date.now() - 6 * 86_400_000).toISOString().slice(0, 10);
    const line = (reason: string, spent: number) => ({ reason, spent, returned: 0 });
    expect([status, body]).toEqual([
      200,
      {
        agentId: 'a',
        from,
        to: TODAY(),
        balance: 4898,
        breakdown: { own: 0, allowance: 4898, earnings: 0 },
        escrow: 100,
        spend: {
          spent: 111,
          returned: 0,
          byReason: [line('conversion.requested', 100), line('tip', 8), line('retrieval', 3)],
          byDay: [line('conversion.requested', 100), line('retrieval', 3), line('tip', 8)].map((one) => ({
            day: TODAY(),
            ...one,
          })),
        },
        conversion: {
          month: MONTH,
          subscriptionPence: 2900,
          capPence: 1450,
          pendingPence: 100,
          appliedPence: 0,
          remainingPence: 1350,
        },
        discount: { periodPence: 0, totalPence: 0, tenantTotalPence: 0, currency: 'GBP' },
        earnings: { periodSales: 0, periodCredits: 0, totalCredits: 0 },
        tips: {
          periodTips: 1,
          periodCredits: 8,
          totalCredits: 8,
          recent: [
            { tipId: expect.stringMatching(UUID), credits: 8, message: null, createdAt: expect.stringMatching(TIME) },
          ],
        },
        seats: { includedSeats: 3, countedSeats: 0, overageSeats: 0, overageGbp: 0 },
        asOf: expect.stringMatching(TIME),
      },
    ]);
    for (const days of ['0', '367', 'x', '1.5'])
      expect((await tenant.call('GET', `/v1/economy/dashboard/a?days=${days}`)).status).toBe(400);
  });
});
