import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';
import { SvcCommand } from './given.js';

let api: TestApi;
let svc: SvcCommand;
beforeAll(async () => {
  api = await startApi();
  svc = new SvcCommand(api.database);
}, 240_000);
afterAll(async () => {
  svc.remove();
  await api.close();
});

it('svc tools sets what the API answers, with a receipt, and refuses what is not there', async () => {
  const { tenantId, call } = api.tenant;
  const tools = (...words: string[]) => svc.json('tools', ...words, '--tenant', tenantId);
  expect(await tools('show')).toMatchObject({ tenant_id: tenantId, tool_set: null });
  expect(await tools('set', 'memory')).toMatchObject({ tenant_id: tenantId, tool_set: 'memory' });
  expect((await call('GET', '/v1/org/settings')).body).toEqual({ toolSet: 'memory' });
  expect((await svc.run('tools', 'show', '--tenant', tenantId)).stdout).toBe(`${tenantId}: memory\n`);
  const events = await api.database.query(`select data from outbox_event where kind = 'settings.changed'`);
  expect(events).toMatchObject([{ data: { toolSet: 'memory', actor: 'operator' } }]);

  const unknown = await svc.run('tools', 'set', 'memory', '--tenant', 'nobody');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('There is no tenant nobody')]);
  const bad = await svc.run('tools', 'set', 'none', '--tenant', tenantId);
  expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('default, all, api, daemon')]);
}, 120_000);
