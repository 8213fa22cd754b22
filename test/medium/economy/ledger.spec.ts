import { Client } from 'pg';
import { v7 as uuid } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Tier } from '../../../src/common/contract/caller.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { ChargesService } from '../../../src/modules/economy/ledger/charges.service.js';
import { LedgerService } from '../../../src/modules/economy/ledger/ledger.service.js';
import { startApi, type TestApi } from '../../kit/app.js';
import { balancesOf, givenCredits, ledgerFaults } from './given.js';

let api: TestApi;
let charges: ChargesService;
let ledger: LedgerService;
let tenancy: Tenancy;
beforeAll(async () => {
  api = await startApi({ env: { SVC_DATABASE_POOL_SIZE: '16' } });
  charges = api.app.get(ChargesService);
  ledger = api.app.get(LedgerService);
  tenancy = api.app.get(Tenancy);
  await api.addTenant('other');
});
afterEach(async () => expect(await ledgerFaults(api.database)).toEqual([]));
afterAll(() => api.close());

const callerOf = (tenantId: string, tier: Tier = 'free', role: 'owner' | 'discovery' = 'owner') => ({
  tenantId,
  tier,
  role,
  principal: role === 'discovery' ? 'agent:scout' : 'key:k',
  authType: 'api_key' as const,
});
const use = (credits: number, agentId = 'a', reference = uuid()) => ({
  agentId,
  credits,
  reason: 'retrieval' as const,
  reference,
});

describe('the database refuses', () => {
  let app: Client;
  const transfer = uuid();
  beforeEach(async () => {
    await givenCredits(api, 'acme', 'rich', 50);
    app = new Client(api.database.urlAs('svc_app'));
    await app.connect();
    await app.query(`set svc.tenant_id = 'acme'`);
  });
  afterEach(() => app.end());

  const post = (amounts: string, tenant = 'acme') =>
    `insert into ledger_transfer (tenant_id, transfer_id, reason, principal) values ('${tenant}', '${transfer}', 'test', 'me');
     insert into ledger_entry (tenant_id, transfer_id, entry_no, account_id, amount)
     select '${tenant}', '${transfer}', n, a, x from (values ${amounts}) v(n, a, x);`;

  it.each<[string, string, RegExp]>([
    [
      'entries that do not sum to zero',
      post(`(1, 'agent:rich', -5), (2, 'issuance', 4)`),
      /not balanced: 2 entries that sum to -1/,
    ],
    ['a transfer without entries', post(`(1, 'agent:rich', 5)`).split(';')[0]!, /not balanced: 0 entries/],
    ['an entry of zero', post(`(1, 'agent:rich', 0), (2, 'issuance', 0)`), /ledger_entry_amount_check/],
    ['an overdraft', post(`(1, 'agent:rich', -1000000), (2, 'issuance', 1000000)`), /ledger_no_overdraft/],
    ['an entry of an account that is not there', post(`(1, 'agent:nobody', 5), (2, 'issuance', -5)`), /foreign key/],
    ['an entry of another tenant', post(`(1, 'issuance', 5), (2, 'issuance', -5)`, 'other'), /row-level security/],
    ['a change of an entry', 'update ledger_entry set amount = 1', /permission denied/],
    ['a deletion of an entry', 'delete from ledger_entry', /permission denied/],
    ['a change of a transfer', `update ledger_transfer set reason = 'x'`, /permission denied/],
    ['a deletion of a transfer', 'delete from ledger_transfer', /permission denied/],
    ['a balance written by hand', 'update ledger_account set balance = 1000000', /permission denied/],
    [
      'an account that opens with a balance',
      `insert into ledger_account (tenant_id, account_id, kind, balance) values ('acme', 'platform', 'platform', 5)`,
      /permission denied/,
    ],
    ['a deleted account', 'delete from ledger_account', /permission denied/],
    [
      'an account of a kind of its own',
      `insert into ledger_account (tenant_id, account_id, kind) values ('acme', 'slush', 'slush')`,
      /kind_check/,
    ],
    ['a grant of the month taken back', 'delete from ledger_allowance', /permission denied/],
    ['an empty ledger', 'truncate ledger_entry', /permission denied/],
  ])('%s', async (_what, sql, refusal) => {
    await expect(app.query(`begin; ${sql}; commit`)).rejects.toThrow(refusal);
    await app.query('rollback');
  });

  it('an entry added to a transfer that was committed, also when the tenant has been changed since', async () => {
    const [old] = await api.database.query<{ transfer_id: string }>(
      `select transfer_id from ledger_transfer where tenant_id = 'acme' and reason = 'grant' limit 1`,
    );
    const addition = `insert into ledger_entry (tenant_id, transfer_id, entry_no, account_id, amount) values ('acme', '${old!.transfer_id}', 9, 'agent:rich', 7)`;
    for (const then of ['', `set local svc.tenant_id = 'other';`, `set local svc.tenant_id = '';`]) {
      await expect(app.query(`begin; ${addition}; ${then} commit`)).rejects.toThrow(
        /not balanced: 3 entries that sum to 7/,
      );
      await app.query('rollback');
    }
  });

  it('no valid transfer, and a balance is the sum of its entries', async () => {
    await app.query(`begin; ${post(`(1, 'agent:rich', -5), (2, 'issuance', 5)`)} commit`);
    expect(await ledgerFaults(api.database)).toEqual([]);
  });
});

describe('an agent spends', () => {
  it('its own, then the allowance, then what the tenant earned, and no more', async () => {
    await api.addTenant('spender', 'free');
    const caller = callerOf('spender');
    await givenCredits(api, 'spender', 'a', 30);
    await tenancy.run('spender', () =>
      api.app.get(LedgerService)['store'].move({
        source: 'clearing',
        target: 'earnings',
        credits: 20,
        reason: 'bundle.sold',
        principal: 'test',
        agentId: 'a',
      }),
    );
    await api.database.query(
      `select svc_move_credits('other', $1, 'issuance', 'clearing', 20, 'test', null, 'test', 'a', null)`,
      [uuid()],
    );
    expect(await charges.chargeAtOnce(caller, use(10))).toEqual({
      balance: 540,
      own: 20,
      allowance: 500,
      earnings: 20,
    });
    expect(await charges.chargeAtOnce(caller, use(515))).toEqual({ balance: 25, own: 0, allowance: 5, earnings: 20 });
    await expect(charges.chargeAtOnce(caller, use(26))).rejects.toMatchObject({
      facts: { creditBalance: 25, upgradeUrl: expect.stringMatching(/^http/) },
    });
    expect(await charges.chargeAtOnce(caller, use(25))).toEqual({ balance: 0, own: 0, allowance: 0, earnings: 0 });
    expect(await charges.chargeAtOnce(caller, use(0))).toBeUndefined();
    expect(await balancesOf(api.database, 'spender')).toEqual({ clearing: -20, issuance: -530, revenue: 550 });
  });

  it('once for one reference, and gets it back once', async () => {
    await api.addTenant('refunded', 'starter');
    const caller = callerOf('refunded', 'starter');
    await givenCredits(api, 'refunded', 'a', 3);
    for (let again = 0; again < 3; again++)
      expect((await charges.chargeAtOnce(caller, use(5, 'a', 'job-1')))!.balance).toBe(4998);
    const refund = () => tenancy.run('refunded', () => charges.refund('retrieval', 'job-1', 'svc:test'));
    expect((await Promise.all([refund(), refund(), refund()])).filter(Boolean)).toEqual([true]);
    expect(await balancesOf(api.database, 'refunded')).toEqual({ 'agent:a': 3, allowance: 5000, issuance: -5003 });
    expect(await tenancy.run('refunded', () => charges.refund('proof', 'job-1', 'svc:test'))).toBe(false);
  });

  it('nothing but its own while no tenant sponsors it, whatever agent it names', async () => {
    await api.addTenant('discovery', 'free');
    const scout = callerOf('discovery', 'free', 'discovery');
    await givenCredits(api, 'discovery', 'scout', 6);
    await givenCredits(api, 'discovery', 'rich', 100);
    expect(await charges.chargeAtOnce(scout, use(5, 'rich'))).toEqual({
      balance: 1,
      own: 1,
      allowance: 0,
      earnings: 0,
    });
    await expect(charges.chargeAtOnce(scout, use(5, 'rich'))).rejects.toMatchObject({ facts: { creditBalance: 1 } });
    expect(await balancesOf(api.database, 'discovery')).toEqual({
      'agent:rich': 100,
      'agent:scout': 1,
      issuance: -106,
      revenue: 5,
    });
  });

  it('never more than there is, under 200 charges at once by three agents of a tenant', async () => {
    await api.addTenant('crowd', 'free');
    for (const agent of ['a', 'b', 'c']) await givenCredits(api, 'crowd', agent, 11);
    const spent = await Promise.allSettled(
      Array.from({ length: 200 }, (_, n) => charges.chargeAtOnce(callerOf('crowd'), use(5, 'abc'[n % 3]))),
    );
    const paid = spent.filter(({ status }) => status === 'fulfilled').length;
    const refused = spent.flatMap((one) =>
      one.status === 'rejected' ? [(one.reason as { kind?: { type: string } }).kind?.type] : [],
    );
    // 533 credits: every agent's own is used up before the allowance, so 3 are left.
    expect([paid, new Set(refused)]).toEqual([106, new Set(['CreditsExhausted'])]);
    expect((await balancesOf(api.database, 'crowd'))['revenue']).toBe(paid * 5);
  });
});

describe('the allowance', () => {
  it('is granted once by the first of 40 that come at once', async () => {
    await api.addTenant('rushed', 'starter');
    const read = (n: number) =>
      n % 2
        ? tenancy.run('rushed', () => ledger.readWallet(callerOf('rushed', 'starter'), `agent-${n}`))
        : charges.chargeAtOnce(callerOf('rushed', 'starter'), use(1, `agent-${n}`));
    await Promise.all(Array.from({ length: 40 }, (_, n) => read(n)));
    expect(await balancesOf(api.database, 'rushed')).toEqual({ allowance: 4980, issuance: -5000, revenue: 20 });
  });

  it('grows when the tier does, by the difference, and does not shrink within the month', async () => {
    await api.addTenant('grower', 'free');
    const wallet = (tier: Tier) => tenancy.run('grower', () => ledger.readWallet(callerOf('grower', tier), 'a'));
    expect((await wallet('free')).allowance).toBe(500);
    expect(
      (await Promise.all([wallet('pro'), wallet('starter'), wallet('pro')])).map(({ allowance }) => allowance),
    ).toContain(20_000);
    expect((await wallet('free')).allowance).toBe(20_000);
  });

  it('expires with its month: what is left goes back, what is an agent’s own stays', async () => {
    await api.addTenant('saver', 'free');
    await givenCredits(api, 'saver', 'a', 7);
    const wallet = () => tenancy.run('saver', () => ledger.readWallet(callerOf('saver'), 'a'));
    await wallet();
    const owner = new Client({ connectionString: api.database.superuserUrl });
    await owner.connect();
    await owner.query(
      `create or replace function svc_utc_month() returns date language sql stable as $$ select '2099-01-01'::date $$`,
    );
    await owner.end();
    expect(await Promise.all([wallet(), wallet(), wallet()])).toContainEqual({
      balance: 507,
      own: 7,
      allowance: 500,
      earnings: 0,
    });
    expect(
      await api.database.query(
        `select reason, reference, principal from ledger_transfer where tenant_id = 'saver' and reference like '2099%' order by created_at`,
      ),
    ).toEqual([
      { reason: 'allowance.expired', reference: '2099-01', principal: 'svc:allowance' },
      { reason: 'allowance.granted', reference: '2099-01:500', principal: 'svc:allowance' },
    ]);
    expect(await balancesOf(api.database, 'saver')).toEqual({ 'agent:a': 7, allowance: 500, issuance: -507 });
  });
});
