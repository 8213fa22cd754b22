import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { signatureOf } from '../../../src/modules/economy/ledger/payment-signature.rules.js';
import { send, startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { balancesOf, ledgerFaults, paymentEventOf as eventOf } from './given.js';

const SECRET = 'whsec-of-the-payment-provider';
const PATH = '/v1/webhooks/payment/conversions';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ env: { SVC_PAYMENT_WEBHOOK_SECRET: SECRET, SVC_DATABASE_POOL_SIZE: '16' } });
});
afterEach(async () => expect(await ledgerFaults(api.database)).toEqual([]));
afterAll(() => api.close());

const now = () => Math.floor(Date.now() / 1000);
/** Delivers a body, signed unless a signature is given. */
function deliver(event: object | string, signature?: string, headers: Record<string, string> = {}): Promise<Answer> {
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  return send(api.url, 'POST', PATH, body, {
    'content-type': 'application/json',
    'x-payment-signature': signature ?? signatureOf(SECRET, now(), body),
    ...headers,
  });
}

let tenants = 0;
/** A tenant with a pending conversion of 100 credits. */
async function givenConversion(): Promise<{ tenant: TestTenant; conversionId: string; before: object }> {
  const tenant = await api.addTenant(`payer-${++tenants}`, 'starter');
  const { status, body, text } = await tenant.call('POST', '/v1/economy/convert', { agentId: 'a', credits: 100 });
  if (status !== 201) throw new Error(text);
  return { tenant, conversionId: body.conversionId, before: await balancesOf(api.database, tenant.tenantId) };
}
const stateOf = async (conversionId: string) => {
  const [row] = await api.database.query<{ state: string }>('select state from conversion where conversion_id = $1', [
    conversionId,
  ]);
  return row!.state;
};
const acknowledged = (outcome: string, duplicate = false) => ({ received: true, duplicate, outcome });
const APPLIED = { allowance: 4900, discount: 100, issuance: -5000 };
const RELEASED = { allowance: 5000, issuance: -5000 };

describe('the payment provider', () => {
  it('applies a conversion: the escrow is burned, the discount counts, events and receipt record it', async () => {
    const { tenant, conversionId } = await givenConversion();
    const event = eventOf(conversionId, 'conversion.applied', {
      tenantId: tenant.tenantId,
      invoice: 'in_7',
      nested: { any: [1] },
    });
    const { status, body } = await deliver(event);
    expect([status, body]).toEqual([200, acknowledged('settled')]);
    expect(await balancesOf(api.database, tenant.tenantId)).toEqual(APPLIED);
    const [item] = (await tenant.call('GET', '/v1/credits/a/escrow?status=applied')).body.items;
    expect([item.conversionId, item.status, item.settledAt]).toEqual([
      conversionId,
      'applied',
      expect.stringMatching(/Z$/),
    ]);
    const { discount, conversion, escrow } = (await tenant.call('GET', '/v1/economy/dashboard/a')).body;
    expect([discount.totalPence, conversion.appliedPence, conversion.pendingPence, escrow]).toEqual([100, 100, 0, 0]);
    const events = await api.database.query(
      `select kind, data->>'conversionId' as id from outbox_event where tenant_id = $1 and kind like 'conversion.%' order by position`,
      [tenant.tenantId],
    );
    expect(events).toEqual(['requested', 'applied'].map((what) => ({ kind: `conversion.${what}`, id: conversionId })));
    const receipts = await api.database.query(
      `select kind from receipt where tenant_id = $1 and subject = $2 order by seq`,
      [tenant.tenantId, conversionId],
    );
    expect(receipts).toEqual([{ kind: 'conversion.requested' }, { kind: 'conversion.applied' }]);
  });

  it('fails a conversion: the credits go back to where they came from, and the cap is free again', async () => {
    const { tenant, conversionId } = await givenConversion();
    const { body } = await deliver(eventOf(conversionId, 'conversion.failed', { reason: 'no such invoice' }));
    expect(body).toEqual(acknowledged('settled'));
    expect(await balancesOf(api.database, tenant.tenantId)).toEqual(RELEASED);
    const [item] = (await tenant.call('GET', '/v1/credits/a/escrow?status=failed')).body.items;
    expect(item.failureReason).toBe('no such invoice');
    expect((await tenant.call('GET', '/v1/economy/dashboard/a')).body).toMatchObject({
      escrow: 0,
      conversion: { pendingPence: 0, remainingPence: 1450 },
      spend: { spent: 100, returned: 100 },
    });
  });

  it('may take turns with its secrets', async () => {
    const { conversionId } = await givenConversion();
    const body = JSON.stringify(eventOf(conversionId));
    const other = signatureOf('the secret before', now(), body).split(',')[1]!;
    expect((await deliver(body, `${signatureOf(SECRET, now(), body)},${other}`)).status).toBe(200);
  });

  it.each(['invoice.paid', 'constructor', '__proto__'])('gets an acknowledgement for %s, ignored', async (type) => {
    const { status, body } = await deliver({ ...eventOf(randomUUID(), type) });
    expect([status, body]).toEqual([200, acknowledged('ignored')]);
  });
});

describe('an event', () => {
  it.each([
    ['conversion.applied', APPLIED],
    ['conversion.failed', RELEASED],
  ])('%s counts once, however often it is sent', async (type, after) => {
    const { tenant, conversionId } = await givenConversion();
    const event = eventOf(conversionId, type);
    const answers = await Promise.all(Array.from({ length: 8 }, () => deliver(event)));
    answers.push(await deliver(event));
    expect(answers.map(({ status }) => status)).toEqual(Array(9).fill(200));
    expect(answers.map(({ body }) => body.duplicate).filter((duplicate) => !duplicate)).toHaveLength(1);
    expect(answers.at(-1)!.body).toEqual(acknowledged('ignored', true));
    expect(await balancesOf(api.database, tenant.tenantId)).toEqual(after);
  });

  it('id counts once, also for another conversion of another tenant', async () => {
    const [one, two] = [await givenConversion(), await givenConversion()];
    const event = eventOf(one.conversionId);
    await deliver(event);
    const { body } = await deliver({ ...event, data: { conversionId: two.conversionId } });
    expect([body, await stateOf(two.conversionId)]).toEqual([acknowledged('ignored', true), 'pending']);
  });

  it.each([
    ['conversion.applied', 'conversion.failed', 'applied', APPLIED],
    ['conversion.failed', 'conversion.applied', 'failed', RELEASED],
  ])('after %s, %s changes nothing and is kept', async (first, second, state, after) => {
    const { tenant, conversionId } = await givenConversion();
    await deliver(eventOf(conversionId, first));
    const later = await deliver(eventOf(conversionId, second));
    expect([later.status, later.body, await stateOf(conversionId)]).toEqual([200, acknowledged('ignored'), state]);
    expect(await balancesOf(api.database, tenant.tenantId)).toEqual(after);
    expect(
      await api.database.query(
        'select type, outcome from conversion_event where conversion_id = $1 order by received_at',
        [conversionId],
      ),
    ).toEqual([
      { type: first, outcome: 'settled' },
      { type: second, outcome: 'ignored' },
    ]);
  });

  it('that contradicts another at the same moment does not settle twice', async () => {
    const { tenant, conversionId } = await givenConversion();
    const types = ['conversion.applied', 'conversion.failed'];
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => deliver(eventOf(conversionId, types[n % 2]))),
    );
    expect(answers.filter(({ body }) => body.outcome === 'settled')).toHaveLength(1);
    expect(await balancesOf(api.database, tenant.tenantId)).toEqual(
      (await stateOf(conversionId)) === 'applied' ? APPLIED : RELEASED,
    );
  });

  it('of a conversion that is not there, or is another tenant’s, is 404', async () => {
    const { conversionId, tenant, before } = await givenConversion();
    const unknown = await deliver(eventOf(randomUUID()));
    const foreign = await deliver(eventOf(conversionId, 'conversion.applied', { tenantId: 'acme' }));
    expect([unknown.status, unknown.body.type, foreign.status, foreign.body.type]).toEqual([
      404,
      'ConversionUnknown',
      404,
      'ConversionUnknown',
    ]);
    expect(await balancesOf(api.database, tenant.tenantId)).toEqual(before);
  });

  it.each<[string, (event: any) => void]>([
    ['without an id', (event) => delete event.id],
    ['whose id is no text', (event) => (event.id = 7)],
    ['without a type', (event) => delete event.type],
    ['whose time is none', (event) => (event.created = 'yesterday')],
    ['without data', (event) => delete event.data],
    ['with data that is a list', (event) => (event.data = [])],
    ['without a conversion', (event) => delete event.data.conversionId],
    ['whose conversion is no UUID', (event) => (event.data.conversionId = "x' or 1=1")],
  ])('%s is refused although it is signed', async (_what, spoil) => {
    const event = eventOf(randomUUID());
    spoil(event);
    const { status, body } = await deliver(event);
    expect([status, body.type]).toEqual([400, 'ValidationFailed']);
  });
});

describe('an attacker', () => {
  let conversion: Awaited<ReturnType<typeof givenConversion>>;
  beforeAll(async () => (conversion = await givenConversion()));
  afterEach(async () => {
    expect(await balancesOf(api.database, conversion.tenant.tenantId)).toEqual(conversion.before);
    expect(await stateOf(conversion.conversionId)).toBe('pending');
  });

  it.each<[string, (body: string) => string]>([
    ['no signature', () => ''],
    ['a signature of nothing', () => 't=,v1='],
    ['another secret', (body) => signatureOf('guessed-secret-xx', now(), body)],
    ['a signature of another body', () => signatureOf(SECRET, now(), '{}')],
    ['a stale signature', (body) => signatureOf(SECRET, now() - 302, body)],
    ['a signature of the future', (body) => signatureOf(SECRET, now() + 302, body)],
    ['a time changed afterwards', (body) => signatureOf(SECRET, now() - 400, body).replace(/t=\d+/, `t=${now()}`)],
    ['the hash alone', (body) => signatureOf(SECRET, now(), body).split('v1=')[1]!],
  ])('with %s gets 401', async (_what, sign) => {
    const body = JSON.stringify(eventOf(conversion.conversionId));
    const { status, body: refused } = await deliver(body, sign(body));
    expect([status, refused.type]).toEqual([401, 'Unauthorized']);
    // Headers of a tenant do not help.
    const { tenantId, apiKey } = conversion.tenant;
    expect((await deliver(body, sign(body), { 'x-tenant-id': tenantId, 'x-api-key': apiKey })).status).toBe(401);
  });

  it('learns nothing of what a body would do: 401 comes before it is read', async () => {
    for (const body of ['', '{"a":', '[]', '\u0000', '{"id":1}', JSON.stringify(eventOf(randomUUID()))])
      expect([body, (await deliver(body, 't=1,v1=00')).status]).toEqual([body, 401]);
  });

  it('cannot change a byte', async () => {
    const body = JSON.stringify(eventOf(conversion.conversionId));
    const signature = signatureOf(SECRET, now(), body);
    for (const changed of [`${body} `, ` ${body}`, body.replace('evt_', 'Evt_'), body.replace('applied', 'failed')])
      expect((await deliver(changed, signature)).status).toBe(401);
  });

  it('cannot send what is too large, or of another type', async () => {
    const large = JSON.stringify({ ...eventOf(conversion.conversionId), more: 'x'.repeat(64 * 1024) });
    expect((await deliver(large)).status).toBe(413);
    const body = JSON.stringify(eventOf(conversion.conversionId));
    expect((await deliver(body, undefined, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await deliver(body, undefined, { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415);
  });

  it('gets nowhere on a server without a secret', async () => {
    const bare = await startApi({ database: api.database, env: { SVC_PAYMENT_WEBHOOK_SECRET: '' } });
    const body = JSON.stringify(eventOf(conversion.conversionId));
    const statuses = ['', 'undefined', SECRET].map((secret) =>
      send(bare.url, 'POST', PATH, body, { 'x-payment-signature': signatureOf(secret, now(), body) }),
    );
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([401, 401, 401]);
    await bare.close();
  });
});
