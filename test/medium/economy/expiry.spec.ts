import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ConversionExpiryService } from '../../../src/modules/economy/ledger/conversion-expiry.service.js';
import { send, startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { givenSeat } from '../frontdoor/given.js';
import { balancesOf, deliverPayment, givenCredits, ledgerFaults, paymentEventOf } from './given.js';

const SECRET = 'whsec-of-the-payment-provider';

let api: TestApi;
/** Another process on the same database. */
let second: TestApi;
beforeAll(async () => {
  const env = { SVC_PAYMENT_WEBHOOK_SECRET: SECRET };
  api = await startApi({ env: { ...env, SVC_DATABASE_POOL_SIZE: '16' } });
  second = await startApi({ env, database: api.database });
});
afterEach(async () => expect(await ledgerFaults(api.database)).toEqual([]));
afterAll(async () => {
  await second.close();
  await api.close();
});

const deliver = (event: object): Promise<Answer> => deliverPayment(api.url, SECRET, event);
const sweep = (app: TestApi): Promise<number> => app.app.get(ConversionExpiryService).sweep();
const convert = async (tenant: TestTenant, credits = 100): Promise<string> => {
  const { status, body, text } = await tenant.call('POST', '/v1/economy/convert', { agentId: 'a', credits });
  if (status !== 201) throw new Error(text);
  return body.conversionId as string;
};
const requestedAgo = (interval: string, ...conversionIds: string[]) =>
  api.database.query(
    'update conversion set requested_at = now() - $1::interval where conversion_id = any($2::uuid[])',
    [interval, conversionIds],
  );
const statesOf = async (tenantId: string): Promise<string[]> =>
  (
    await api.database.query<{ state: string }>('select state from conversion where tenant_id = $1 order by 1', [
      tenantId,
    ])
  ).map(({ state }) => state);
const kindsOf = (tenantId: string, table: 'outbox_event' | 'receipt') =>
  api.database.query<{ kind: string }>(
    `select kind from ${table} where tenant_id = $1 and kind like 'conversion.%' order by ${table === 'receipt' ? 'seq' : 'position'}`,
    [tenantId],
  );

describe('a conversion that nobody settles', () => {
  it('is released after 7 days, not before: every account gets back what it gave, with event and receipt', async () => {
    const tenant = await api.addTenant('forgotten', 'starter');
    await givenCredits(api, 'forgotten', 'a', 30);
    const before = await balancesOf(api.database, 'forgotten');
    const conversionId = await convert(tenant);
    await requestedAgo('6 days 23 hours', conversionId);
    expect([await sweep(api), await statesOf('forgotten')]).toEqual([0, ['pending']]);
    await requestedAgo('7 days 1 second', conversionId);
    expect([await sweep(api), await statesOf('forgotten')]).toEqual([1, ['failed']]);
    expect(await balancesOf(api.database, 'forgotten')).toEqual({ 'agent:a': 30, allowance: 5000, issuance: -5030 });
    expect(before).toEqual({ 'agent:a': 30, issuance: -30 });
    const { items, escrow } = (await tenant.call('GET', '/v1/credits/a/escrow?status=failed')).body;
    expect([escrow, items]).toEqual([
      0,
      [expect.objectContaining({ conversionId, status: 'failed', failureReason: 'expired' })],
    ]);
    const [event] = await api.database.query<{ data: object }>(
      `select data from outbox_event where kind = 'conversion.failed' and subject = $1`,
      [conversionId],
    );
    expect(event!.data).toEqual({
      ...{ conversionId, agentId: 'a', credits: 100, pence: 100, currency: 'GBP', reason: 'expired' },
      actor: 'svc:conversion-expiry',
    });
    expect(await kindsOf('forgotten', 'receipt')).toEqual([
      { kind: 'conversion.requested' },
      { kind: 'conversion.failed' },
    ]);
    expect(await sweep(api)).toBe(0);
  });

  it('is released by a process that starts', async () => {
    const tenant = await api.addTenant('restarted', 'starter');
    await requestedAgo('8 days', await convert(tenant));
    const third = await startApi({ database: api.database });
    await expect.poll(() => statesOf('restarted')).toEqual(['failed']);
    await third.close();
  });

  it(
    'is released once, or settled by the provider at that moment, in whichever process',
    { timeout: 60_000 },
    async () => {
      const tenant = await api.addTenant('raced', 'team');
      const ids = await Promise.all(Array.from({ length: 24 }, () => convert(tenant)));
      await requestedAgo('8 days', ...ids);
      const swept = Promise.all([sweep(api), sweep(second), sweep(api), sweep(second)]);
      const answers = await Promise.all(ids.toReversed().map((id) => deliver(paymentEventOf(id))));
      const released = (await swept).reduce((sum, count) => sum + count, 0);
      const applied = answers.filter(({ body }) => body.outcome === 'settled').length;
      expect(answers.map(({ status }) => status)).toEqual(Array(24).fill(200));
      expect(released + applied).toBe(24);
      expect(await balancesOf(api.database, 'raced')).toEqual({
        allowance: 60_000 - applied * 100,
        discount: applied * 100,
        issuance: -60_000,
      });
      const settled = (await kindsOf('raced', 'outbox_event')).filter(({ kind }) => /applied|failed/.test(kind));
      expect(settled).toHaveLength(24);
      expect((await kindsOf('raced', 'outbox_event')).filter(({ kind }) => kind.endsWith('contradicted'))).toHaveLength(
        released,
      );
    },
  );

  it('waits where another transaction has it, with the provider: one of them settles it', async () => {
    const tenant = await api.addTenant('held', 'starter');
    const conversionId = await convert(tenant);
    await requestedAgo('8 days', conversionId);
    const holder = new Client(api.database.urlAs('svc_operator'));
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from conversion where conversion_id = $1 for update', [conversionId]);
    const racers = [sweep(api), sweep(second), deliver(paymentEventOf(conversionId))] as const;
    const waiting = async () =>
      (
        await api.database.query(
          'select from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()',
        )
      ).length;
    await expect.poll(waiting, { timeout: 15_000 }).toBe(3);
    await holder.query('rollback');
    await holder.end();
    const [first, other, { body }] = await Promise.all(racers);
    expect([first + other, body.outcome]).toEqual(
      (await statesOf('held'))[0] === 'failed' ? [1, 'ignored'] : [0, 'settled'],
    );
  });

  it('that cannot be released does not keep the others', async () => {
    const tenant = await api.addTenant('damaged', 'starter');
    const [bad, good] = [await convert(tenant), await convert(tenant)];
    await requestedAgo('9 days', bad);
    await requestedAgo('8 days', good);
    // Somebody moved its escrow past the application.
    await api.database.query(
      `select svc_reverse_transfer(tenant_id, gen_random_uuid(), transfer_id, 'refund', 'by hand', 'test', null) from conversion where conversion_id = $1`,
      [bad],
    );
    await expect(sweep(api)).rejects.toThrow(/the escrow of conversion .* was moved before/);
    expect(await statesOf('damaged')).toEqual(['failed', 'pending']);
    await api.database.query(`update conversion set state = 'failed', settled_at = now() where conversion_id = $1`, [
      bad,
    ]);
  });

  it('shows its tenant alone that it was released', async () => {
    const tenant = await api.addTenant('private', 'starter');
    const other = await api.addTenant('curious', 'starter');
    const conversionId = await convert(tenant);
    await requestedAgo('8 days', conversionId);
    await sweep(api);
    const seen = await Promise.all(
      ['/v1/credits/a/escrow?status=failed', '/v1/events?kind=conversion.*', '/v1/economy/dashboard/a'].map((path) =>
        other.call('GET', path),
      ),
    );
    expect(seen.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(seen.map(({ text }) => text).join()).not.toContain(conversionId);
    expect(seen[0]!.body.items).toEqual([]);
  });
});

describe('an outcome that comes too late', () => {
  it('is ignored, and heard of: by an event with a receipt and a metric', async () => {
    const tenant = await api.addTenant('late', 'starter');
    const conversionId = await convert(tenant);
    await requestedAgo('8 days', conversionId);
    await sweep(api);
    const before = await balancesOf(api.database, 'late');
    const event = paymentEventOf(conversionId);
    const { status, body } = await deliver(event);
    expect([status, body]).toEqual([200, { received: true, duplicate: false, outcome: 'ignored' }]);
    expect(await balancesOf(api.database, 'late')).toEqual(before);
    const kinds = ['requested', 'failed', 'contradicted'].map((what) => ({ kind: `conversion.${what}` }));
    expect(await kindsOf('late', 'outbox_event')).toEqual(kinds);
    expect(await kindsOf('late', 'receipt')).toEqual(kinds);
    const [said] = await api.database.query<{ data: object }>(
      `select data from outbox_event where kind = 'conversion.contradicted' and subject = $1`,
      [conversionId],
    );
    expect(said!.data).toMatchObject({ conversionId, status: 'failed', reported: 'applied', pence: 100 });
    const { text } = await send(api.url, 'GET', '/metrics');
    expect(text).toMatch(/^svc_conversion_contradictions_total [1-9]/m);
    // The same once more says nothing new, and a report of the state that stands is no contradiction.
    await deliver(event);
    await deliver(paymentEventOf(conversionId, 'conversion.failed'));
    expect(await kindsOf('late', 'outbox_event')).toEqual(kinds);
  });
});

describe('the metrics', () => {
  it('count what is pending over all tenants, how old it is, and what was settled by whom', async () => {
    const valueOf = async (series: string): Promise<number> => {
      const { text } = await send(api.url, 'GET', '/metrics');
      const line = text.split('\n').find((one) => one.startsWith(`${series} `));
      return Number(line?.split(' ')[1] ?? 0);
    };
    const byExpiry = 'svc_conversions_settled_total{state="failed",by="svc:conversion-expiry"}';
    const [pending, released] = [await valueOf('svc_conversions_pending'), await valueOf(byExpiry)];
    const [one, two] = [await api.addTenant('gauge-1', 'starter'), await api.addTenant('gauge-2', 'starter')];
    const old = await convert(one);
    await convert(two);
    await requestedAgo('10 days', old);
    expect(await valueOf('svc_conversions_pending')).toBe(pending + 2);
    expect(await valueOf('svc_conversions_oldest_pending_seconds')).toBeGreaterThan(10 * 86_400 - 1);
    await sweep(api);
    expect(await valueOf('svc_conversions_pending')).toBe(pending + 1);
    expect(await valueOf(byExpiry)).toBe(released + 1);
  });
});

describe('a server without a payment webhook secret', () => {
  const LOCKS = ['/v1/economy/convert', '/v1/economy/convert/preview'];
  let bare: TestApi;
  beforeAll(async () => {
    bare = await startApi({ database: api.database, env: { SVC_PAYMENT_WEBHOOK_SECRET: '' } });
  });
  afterAll(() => bare.close());

  it.each(LOCKS)('refuses POST %s with the remedy, and locks nothing', async (path) => {
    const { tenantId } = bare.tenant;
    const { status, body } = await bare.tenant.call('POST', path, { agentId: 'a', credits: 100 });
    expect([status, body.type, body.feature]).toEqual([412, 'FeatureDisabled', 'payments']);
    expect(body.detail).toContain('Set SVC_PAYMENT_WEBHOOK_SECRET');
    expect(await balancesOf(api.database, tenantId)).toEqual({});
  });

  it.each(LOCKS)('refuses POST %s after the credential, before role and body', async (path) => {
    const statusOf = async (answer: Promise<Answer>) => (await answer).status;
    const viewer = await givenSeat(bare, bare.tenant.tenantId, 'viewer');
    expect([
      await statusOf(send(bare.url, 'POST', path, {})),
      await statusOf(viewer.call('POST', path, { agentId: 'a', credits: 100 })),
      await statusOf(bare.tenant.call('POST', path, { credits: 'many' })),
    ]).toEqual([401, 412, 412]);
  });

  it('goes on with everything else of the economy', async () => {
    const tip = await bare.tenant.call('POST', '/v1/economy/tip-platform', { agentId: 'a', credits: 1 });
    const dashboard = await bare.tenant.call('GET', '/v1/economy/dashboard/a');
    expect([tip.status, dashboard.status]).toEqual([201, 200]);
  });

  it('declares the refusal', async () => {
    const { paths } = (await send(bare.url, 'GET', '/openapi.json')).body;
    for (const path of LOCKS) expect(JSON.stringify(paths[path].post.responses['412'])).toContain('FeatureDisabled');
  });
});
