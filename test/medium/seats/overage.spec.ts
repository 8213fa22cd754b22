import { afterAll, beforeAll, expect, it } from 'vitest';
import { openOperator } from '../../../src/apps/operator.app.js';
import { loadSettings } from '../../../src/common/config/settings.js';
import { makeLog } from '../../../src/common/observability/log.js';
import { Metrics } from '../../../src/common/observability/metrics.js';
import { TenantsService } from '../../../src/modules/access/tenants/tenants.service.js';
import { inject } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';
import { givenMember } from './given.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

it('overage is recorded with each change of it, in its transaction, and shown in the dashboard', async () => {
  const tenant = await api.addTenant('growing', 'free');
  const recorded = () =>
    api.database.query<any>(
      `select o.data ->> 'includedSeats' as included, o.data ->> 'countedSeats' as counted, o.data ->> 'overageSeats' as overage,
         o.data ->> 'formerOverageSeats' as former, o.data ->> 'overageGbp' as gbp, o.data ->> 'actor' as actor, o.subject
       from outbox_event o where tenant_id = 'growing' and kind = 'seat.overage_changed' order by position`,
    );
  const change = (
    included: string,
    counted: string,
    overage: string,
    former: string,
    actor = `key:${tenant.keyId}`,
  ) => ({
    ...{ included, counted, overage, former, actor, gbp: String(Number(overage) * 8), subject: 'growing' },
  });
  const shown = async () => (await tenant.call('GET', '/v1/economy/dashboard/a')).body.seats;

  await givenMember(api.url, tenant, 'owner');
  expect([await recorded(), await shown()]).toEqual([
    [],
    { includedSeats: 1, countedSeats: 1, overageSeats: 0, overageGbp: 0 },
  ]);
  // An invitation crosses the line, a second one goes on; that it is accepted or repeated changes nothing.
  await givenMember(api.url, tenant, 'member');
  const invited = (await tenant.call('POST', '/v1/org/invite', { email: 'p@example.org' })).body.seat;
  await tenant.call('POST', '/v1/org/invite', { email: 'p@example.org' });
  const grown = [change('1', '2', '1', '0'), change('1', '3', '2', '1')];
  expect([await recorded(), await shown()]).toEqual([
    grown,
    { includedSeats: 1, countedSeats: 3, overageSeats: 2, overageGbp: 16 },
  ]);

  const operator = await openOperator({
    settings: loadSettings({ NODE_ENV: 'test', SVC_SIGNING_KEY_FILE: inject('signingKeyFile') }),
    address: { ownerUrl: api.database.url },
    log: makeLog(loadSettings({ SVC_LOG_LEVEL: 'silent' }), 'test'),
    metrics: new Metrics(),
  });
  const tenants = operator.get(TenantsService);
  await tenants.setTier('growing', 'starter');
  await tenants.setTier('growing', 'pro');
  await tenants.setTier('growing', 'free');
  await operator.close();
  const byTier = [change('3', '3', '0', '2', 'operator'), change('1', '3', '2', '0', 'operator')];
  expect(await recorded()).toEqual([...grown, ...byTier]);

  await tenant.call('DELETE', `/v1/org/seats/${invited.id}`);
  expect(await recorded()).toEqual([...grown, ...byTier, change('1', '2', '1', '2')]);
  const [receipts] = await api.database.query(
    `select count(*)::int as n from receipt where tenant_id = 'growing' and kind = 'seat.overage_changed'`,
  );
  expect(receipts).toEqual({ n: 5 });
});
