import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';
import { ALL_SCOPES, startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { startReceiver, type Receiver } from '../outbox/given.js';
import { openIncident, walk } from './given.js';

let receiver: Receiver;
let api: TestApi;
let daemon: TestDaemon;
beforeAll(async () => {
  receiver = await startReceiver();
  api = await startApi();
  const env = { SVCD_FEATURE_INCIDENTS: '1', SVCD_FEATURE_LEGAL_HOLD: '1' };
  daemon = await startDaemon({ database: api.database, env });
});
afterAll(async () => {
  await daemon.close();
  await api.close();
  await receiver.close();
});

it(
  'a webhook brings what happens to an incident to an address of the tenant, signed, and nothing of others',
  { timeout: 90_000 },
  async () => {
    const { tenantId } = api.tenant;
    const other = await api.addTenant('umbrella');
    const { body: hook } = await api.tenant.call('POST', '/v1/org/webhooks', {
      url: `${receiver.url}/incidents`,
      kinds: ['incident.*'],
    });
    const call = daemon.as({ scopes: ALL_SCOPES, tenant: tenantId });
    const { fact_id: id } = (await call('PUT', '/v1/facts', { entity: 'price:bolt', key: 'cents', value: '1' })).body;
    const incident = await openIncident(call, tenantId, { entities: ['price:'] });
    expect((await call('POST', `${incident}/hold`, {})).status).toBe(200);
    await walk(call, incident, { kind: 'fact', id, apply: true });
    await openIncident(daemon.as({ scopes: ALL_SCOPES, tenant: other.tenantId }), other.tenantId);
    expect((await call('PATCH', incident, { status: 'contained' })).status).toBe(200);

    const kinds = () => receiver.at('/incidents').map(({ event }) => event.type as string);
    const expected = ['changed', 'held', 'opened', 'quarantined', 'radius_walked'].map((what) => `incident.${what}`);
    await expect.poll(() => [...new Set(kinds())].sort(), { timeout: 60_000 }).toEqual(expected);
    const delivered = receiver.at('/incidents');
    const incidentId = incident.split('/').at(-1);
    for (const { body, headers, event } of delivered) {
      expect(new Webhook(hook.secret).verify(body, headers as Record<string, string>)).toEqual(event);
      expect([event.tenant_id, event.subject, event.data.incidentId]).toEqual([tenantId, incidentId, incidentId]);
    }
    const receipts = await api.database.query<{ kind: string }>(
      `select kind from receipt where tenant_id = $1 and subject = $2 order by kind`,
      [tenantId, incidentId],
    );
    expect([...new Set(receipts.map(({ kind }) => kind))]).toEqual(expected);
  },
);
