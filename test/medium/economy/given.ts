import { randomUUID } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import type { TestDatabase } from '../../kit/database.js';
import { send, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { ingested } from '../ingest/given.js';
import { LedgerService } from '../../../src/modules/economy/ledger/ledger.service.js';
import { signatureOf } from '../../../src/modules/economy/ledger/payment-signature.rules.js';

/** What a payment provider reports of a conversion, with an id of its own. */
export const paymentEventOf = (conversionId: string, type = 'conversion.applied', members: object = {}) => ({
  id: `evt_${randomUUID()}`,
  type,
  created: new Date().toISOString(),
  data: { conversionId, ...members },
});

/** Delivers an event as the provider does, signed with the secret it shares with the server. */
export function deliverPayment(url: string, secret: string, event: object): Promise<Answer> {
  const body = JSON.stringify(event);
  return send(url, 'POST', '/v1/webhooks/payment/conversions', body, {
    'content-type': 'application/json',
    'x-payment-signature': signatureOf(secret, Math.floor(Date.now() / 1000), body),
  });
}

/** Gives an agent credits of its own. */
export function givenCredits(api: TestApi, tenantId: string, agentId: string, credits: number): Promise<boolean> {
  return api.app
    .get(Tenancy)
    .run(tenantId, () =>
      api.app.get(LedgerService).grant({ agentId, credits, principal: 'test', note: 'given', reference: uuid() }),
    );
}

/** Everything that must hold of every ledger, as a list of what does not. */
export function ledgerFaults(database: Pick<TestDatabase, 'query'>): Promise<object[]> {
  return database.query(LEDGER_FAULTS);
}

/** Credits of every account of a tenant that is not empty. */
export async function balancesOf(database: TestDatabase, tenantId: string): Promise<Record<string, number>> {
  const rows = await database.query<{ account_id: string; balance: string }>(
    'select account_id, balance from ledger_account where tenant_id = $1 and balance <> 0 order by 1',
    [tenantId],
  );
  return Object.fromEntries(rows.map(({ account_id, balance }) => [account_id, Number(balance)]));
}

/** Ingests a document and waits until it can be found. */
export async function givenShared(
  tenant: TestTenant,
  shareability: 'entitled_only' | 'public_safe' | 'owner_only',
  { corpusId = 'shared', docId = 'doc', content = 'Wombats dig burrows at night.' } = {},
): Promise<void> {
  const ingest = await ingested(tenant, { corpusId, docId, content, shareability });
  if (ingest.status === 'failed') throw new Error(ingest.error);
}

const LEDGER_FAULTS = `
  select 'sum of a tenant' as fault, tenant_id as at, sum(amount)::text as found from ledger_entry group by tenant_id having sum(amount) <> 0
  union all
  select 'transfer', tenant_id || ' ' || transfer_id, sum(amount)::text from ledger_entry group by tenant_id, transfer_id
  having sum(amount) <> 0 or count(*) < 2
  union all
  select 'transfer without entries', tenant_id || ' ' || transfer_id, reason from ledger_transfer t
  where not exists (select from ledger_entry e where e.tenant_id = t.tenant_id and e.transfer_id = t.transfer_id)
  union all
  select 'balance', tenant_id || ' ' || account_id, a.balance || ' is not ' || coalesce(sum(e.amount), 0)
  from ledger_account a left join ledger_entry e using (tenant_id, account_id) group by tenant_id, account_id having a.balance <> coalesce(sum(e.amount), 0)
  union all
  select 'overdraft', tenant_id || ' ' || account_id, balance::text from ledger_account where balance < 0 and kind not in ('issuance', 'clearing')
  union all
  select 'clearing between tenants', '', sum(balance)::text from ledger_account where kind = 'clearing' having sum(balance) <> 0`;
