import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { whileLocked } from '../../kit/held-lock.js';
import { balancesOf, givenCredits, givenShared, ledgerFaults } from '../economy/given.js';

const UUID = /^[0-9a-f-]{36}$/;
const TIME = /^\d{4}-\d\d-\d\dT.*Z$/;

let api: TestApi;
let publisher: TestTenant;
beforeAll(async () => {
  api = await startApi({ env: { SVC_DATABASE_POOL_SIZE: '16' } });
  publisher = await api.addTenant('publisher', 'starter');
  for (const corpusId of ['law', 'tax', 'trade'])
    await givenShared(publisher, 'entitled_only', {
      corpusId,
      docId: corpusId,
      content: `The ${corpusId} of wombats is settled.`,
    });
  await givenShared(publisher, 'owner_only', {
    corpusId: 'law',
    docId: 'notes',
    content: 'Private notes on the law of wombats.',
  });
});
afterEach(async () => expect(await ledgerFaults(api.database)).toEqual([]));
afterAll(() => api.close());

const offer = (members: object = {}) => ({
  title: 'Law',
  description: 'All the law of wombats.',
  corpora: ['law'],
  priceCredits: 40,
  ...members,
});
async function publish(members: object = {}, tenant = publisher): Promise<any> {
  const { status, body, text } = await tenant.call('POST', '/v1/bundles', offer(members));
  if (status !== 201) throw new Error(text);
  return body;
}
const buy = (tenant: TestTenant, bundleId: string, members: object = {}) =>
  tenant.call('POST', '/v1/bundles/purchase', { agentId: 'a', bundleId, ...members });
const list = async (tenant: TestTenant, query = ''): Promise<any[]> =>
  (await tenant.call('GET', `/v1/bundles?${query}`)).body.bundles;
const found = async (tenant: TestTenant) =>
  (await tenant.call('POST', '/v1/retrieve', { query: 'wombats', agentId: 'a' })).body.results
    .map((one: any) => one.docId)
    .sort();

describe('buying a bundle', () => {
  it('pays the publisher, entitles the tenant, and the very next retrieval finds it', async () => {
    const buyer = await api.addTenant('buyer', 'free');
    await givenCredits(api, 'buyer', 'a', 15);
    const bundle = await publish({ title: 'Law and tax', corpora: ['law', 'tax'], priceCredits: 90 });
    expect(await found(buyer)).toEqual([]);
    const { status, body } = await buy(buyer, bundle.bundleId, { expectedPrice: 90 });
    expect([status, body]).toEqual([
      201,
      {
        purchaseId: expect.stringMatching(UUID),
        bundleId: bundle.bundleId,
        publisher: 'publisher',
        agentId: 'a',
        priceCredits: 90,
        corpora: ['law', 'tax'],
        documents: 2,
        balanceAfter: 425,
        purchasedAt: expect.stringMatching(TIME),
        receiptId: expect.stringMatching(UUID),
      },
    ]);
    expect(await found(buyer)).toEqual(['law', 'tax']);
    expect(await balancesOf(api.database, 'buyer')).toEqual({ allowance: 425, clearing: 90, issuance: -515 });
    expect(await balancesOf(api.database, 'publisher')).toEqual({ clearing: -90, earnings: 90 });
    const events = await api.database.query(
      `select tenant_id, kind, data from outbox_event where kind in ('bundle.purchased', 'bundle.sold') and subject = $1 order by 1`,
      [bundle.bundleId],
    );
    const { purchaseId } = body;
    expect(events).toEqual([
      {
        tenant_id: 'buyer',
        kind: 'bundle.purchased',
        data: {
          purchaseId,
          bundleId: bundle.bundleId,
          publisher: 'publisher',
          agentId: 'a',
          corpora: ['law', 'tax'],
          priceCredits: 90,
          actor: `key:${buyer.keyId}`,
        },
      },
      { tenant_id: 'publisher', kind: 'bundle.sold', data: { bundleId: bundle.bundleId, priceCredits: 90 } },
    ]);
    const dashboard = (await publisher.call('GET', '/v1/economy/dashboard/x')).body;
    expect([dashboard.earnings, dashboard.breakdown.earnings]).toEqual([
      { periodSales: 1, periodCredits: 90, totalCredits: 90 },
      90,
    ]);
  });

  it('happens once: again, it is 409; a replay answers what the first did', async () => {
    const buyer = await api.addTenant('once', 'free');
    const { bundleId } = await publish();
    const key = { 'x-idempotency-key': 'buy-it-once' };
    const body = { agentId: 'a', bundleId };
    const first = await buyer.call('POST', '/v1/bundles/purchase', body, key);
    const replay = await buyer.call('POST', '/v1/bundles/purchase', body, key);
    expect([replay.status, replay.body, replay.headers.get('x-idempotency-replayed')]).toEqual([
      201,
      first.body,
      'true',
    ]);
    const again = await buy(buyer, bundleId);
    expect([again.status, again.body.type]).toEqual([409, 'AlreadyEntitled']);
    expect((await balancesOf(api.database, 'once'))['allowance']).toBe(460);
  });

  it('happens once when agents of a tenant buy it at the same moment', async () => {
    const buyer = await api.addTenant('twins', 'free');
    const { bundleId } = await publish({ title: 'Raced' });
    const bought = await Promise.all(
      Array.from({ length: 8 }, (_, n) => buy(buyer, bundleId, { agentId: `agent-${n}` })),
    );
    expect(bought.map(({ status, body }) => `${status} ${body.type ?? ''}`).sort()).toEqual([
      '201 ',
      ...Array(7).fill('409 AlreadyEntitled'),
    ]);
    expect((await balancesOf(api.database, 'twins'))['allowance']).toBe(460);
  });

  it('is refused without the credits, and leaves nothing behind', async () => {
    const buyer = await api.addTenant('broke', 'free');
    await api.database.query(
      `select svc_spend('broke', gen_random_uuid(), 'x', 470, 'revenue', 'test', 'drain', 'test', null, 500)`,
    );
    const { bundleId } = await publish();
    const { status, body } = await buy(buyer, bundleId);
    expect([status, body.type, body.creditBalance]).toEqual([429, 'CreditsExhausted', 30]);
    expect(await found(buyer)).toEqual([]);
    const left = ['entitlement', 'bundle_purchase'].map((table) =>
      api.database.query(`select 1 from ${table} where tenant_id = 'broke'`),
    );
    expect(await Promise.all(left)).toEqual([[], []]);
  });

  it('is refused for what is one’s own, unknown, withdrawn, or dearer than expected', async () => {
    const buyer = await api.addTenant('careful', 'free');
    const { bundleId } = await publish();
    const refusal = async (tenant: TestTenant, id: string, members: object = {}) => {
      const { status, body } = await buy(tenant, id, members);
      return `${status} ${body.type}`;
    };
    expect(await refusal(publisher, bundleId)).toBe('409 OwnBundle');
    expect(await refusal(buyer, crypto.randomUUID())).toBe('404 BundleUnknown');
    await publisher.call('PUT', `/v1/bundles/${bundleId}`, offer({ priceCredits: 41 }));
    expect(await refusal(buyer, bundleId, { expectedPrice: 40 })).toBe('409 PriceChanged');
    await publisher.call('DELETE', `/v1/bundles/${bundleId}`);
    expect(await refusal(buyer, bundleId, { expectedPrice: 41 })).toBe('404 BundleUnknown');
  });

  it('for more than 100 credits asks the shield, and nothing has moved then', async () => {
    const buyer = await api.addTenant('shielded', 'free');
    const { bundleId } = await publish({ priceCredits: 101 });
    const { status, body } = await buy(buyer, bundleId);
    expect([status, body.type]).toEqual([403, 'ShieldApprovalRequired']);
    expect(await balancesOf(api.database, 'shielded')).toEqual({});
  });

  it('given away costs nothing', async () => {
    const buyer = await api.addTenant('lucky', 'free');
    const { bundleId } = await publish({ title: 'Free', corpora: ['trade'], priceCredits: 0 });
    expect((await buy(buyer, bundleId)).body).toMatchObject({ priceCredits: 0, balanceAfter: 500 });
    expect(await found(buyer)).toEqual(['trade']);
  });
});

describe('two tenants that buy from each other', () => {
  it('never wait for each other, in either order', async () => {
    const tenants = await Promise.all(['left', 'right'].map((name) => api.addTenant(name, 'starter')));
    for (const tenant of tenants) await givenShared(tenant, 'entitled_only', { corpusId: 'c' });
    const bundles: { bundleId: string; of: number }[] = [];
    for (let n = 0; n < 24; n++)
      bundles.push({
        bundleId: (await publish({ title: `No ${n}`, corpora: ['c'], priceCredits: 7 }, tenants[n % 2])).bundleId,
        of: n % 2,
      });
    // Every purchase entitles to the one corpus: only the first of each side can succeed.
    const bought = await Promise.all(
      bundles.map(({ bundleId, of }, n) => buy(tenants[1 - of]!, bundleId, { agentId: `a${n}` })),
    );
    expect(bought.every(({ status }) => status === 201 || status === 409)).toBe(true);
    const made = bought.filter(({ status }) => status === 201).length;
    expect(made).toBe(2);
    const balances = await Promise.all(['left', 'right'].map((name) => balancesOf(api.database, name)));
    expect((balances[0]!['clearing'] ?? 0) + (balances[1]!['clearing'] ?? 0)).toBe(0);
    expect(balances.reduce((sum, one) => sum + one['earnings']!, 0)).toBe(7 * made);
  });
});

describe('the catalogue', () => {
  it('shows every tenant what is for sale, with what is in it', async () => {
    const reader = await api.addTenant('browser', 'free');
    const made = await publish({ title: 'Bundle of 100% Ünique law', corpora: ['law', 'tax'] });
    const [shown] = await list(reader, 'q=100%25%20%C3%BCnique');
    expect(shown).toEqual({ ...made, entitled: false, documents: 2, publisher: 'publisher' });
    expect(made.entitled).toBe(true);
    expect((await list(reader, 'q=1001')).length).toBe(0);
    await buy(reader, made.bundleId);
    const ids = async (query: string) => (await list(reader, query)).map(({ bundleId }) => bundleId);
    expect(await ids('entitled=true&q=nique')).toEqual([made.bundleId]);
    expect(await ids('entitled=false')).not.toContain(made.bundleId);
    expect(await ids('publisher=browser')).toEqual([]);
    expect(await ids('publisher=publisher&corpus=tax')).toContain(made.bundleId);
    expect(await ids('corpus=nothing')).toEqual([]);
  });

  it('has pages without gap or repeat', async () => {
    const all = (await list(publisher, 'limit=200')).map(({ bundleId }) => bundleId);
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: { body: any } = await publisher.call(
        'GET',
        `/v1/bundles?limit=3${cursor && `&cursor=${cursor}`}`,
      );
      paged.push(...body.bundles.map((one: any) => one.bundleId));
      cursor = body.next_cursor;
    }
    expect(paged).toEqual(all);
    expect(all.length).toBeGreaterThan(5);
  });

  it('is written by publishers for their own corpora alone', async () => {
    const other = await api.addTenant('other', 'free');
    const { bundleId } = await publish();
    const wrong = await publisher.call('POST', '/v1/bundles', offer({ corpora: ['law', 'nothing', 'law'] }));
    expect([wrong.status, wrong.body.issues.map(({ path }: any) => path)]).toEqual([
      400,
      ['body.corpora[1]', 'body.corpora[2]'],
    ]);
    expect((await other.call('POST', '/v1/bundles', offer())).body.issues[0].path).toBe('body.corpora[0]');
    await givenShared(other, 'entitled_only', { corpusId: 'law' });
    expect((await other.call('PUT', `/v1/bundles/${bundleId}`, offer({ priceCredits: 0 }))).status).toBe(404);
    expect((await other.call('DELETE', `/v1/bundles/${bundleId}`)).status).toBe(404);
    expect((await list(other)).find((one) => one.bundleId === bundleId).priceCredits).toBe(40);
    const app = new Client(api.database.urlAs('svc_app'));
    await app.connect();
    await app.query(`set svc.tenant_id = 'other'`);
    expect((await app.query('update bundle set price_credits = 0 where bundle_id = $1', [bundleId])).rowCount).toBe(0);
    await app.end();
  });

  it('counts as sold what was being bought when it was withdrawn', async () => {
    const buyer = await api.addTenant('hasty', 'free');
    await givenCredits(api, 'hasty', 'a', 100);
    const { bundleId } = await publish();
    // The offer has been read, and the purchase waits to be written.
    await whileLocked(api.database, 'lock table bundle_purchase in exclusive mode', async (held) => {
      const buying = buy(buyer, bundleId);
      await held.waitForBlocked(1);
      const withdrawing = publisher.call('DELETE', `/v1/bundles/${bundleId}`);
      await held.waitForBlocked(2);
      await held.commit();
      expect([(await buying).status, (await withdrawing).body]).toEqual([201, { bundleId, sold: 1 }]);
    });
  });

  it('drops what is withdrawn; what was sold stays sold', async () => {
    const buyer = await api.addTenant('keeper', 'free');
    const { bundleId } = await publish({ title: 'Soon gone', corpora: ['trade'] });
    await buy(buyer, bundleId);
    const gone = await publisher.call('DELETE', `/v1/bundles/${bundleId}?reason=outdated`);
    expect([gone.status, gone.body]).toEqual([200, { bundleId, sold: 1 }]);
    expect((await list(buyer)).map((one) => one.bundleId)).not.toContain(bundleId);
    expect((await publisher.call('PUT', `/v1/bundles/${bundleId}`, offer())).status).toBe(404);
    expect((await publisher.call('DELETE', `/v1/bundles/${bundleId}`)).status).toBe(404);
    expect(await found(buyer)).toEqual(['trade']);
  });
});
