import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FollowedCredentials } from '../../../src/common/bearer-auth/followed-credentials.js';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { createTenants, startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { givenAgent, givenSession, ON } from '../agents/given.js';
import { claims, HS256_ENV, hs256, seconds } from '../daemon-auth/given.js';
import { envelope, mirrored } from '../rpc/mcp-clients.js';
import { EventStream } from './event-stream.js';

let api: TestApi;
let daemon: TestDaemon;
let other: TestTenant;
beforeAll(async () => {
  api = await startApi({ env: ON });
  daemon = await startDaemon({ database: api.database, env: HS256_ENV });
  other = await api.addTenant('umbrella');
  await createTenants(api.database, ['alfa']);
});
afterAll(async () => {
  await daemon.close();
  await api.close();
});

const open = (headers: Record<string, string>) => EventStream.open(daemon.url, headers);
const someKey = async (): Promise<{ id: string; apiKey: string }> =>
  (await api.tenant.call('POST', '/v1/org/api-keys', { label: 'reader' })).body;
const revoke = async (id: string): Promise<void> =>
  expect((await api.tenant.call('DELETE', `/v1/org/api-keys/${id}?reason=leaked`)).status).toBe(200);

/** Ends with the reason, whatever came before it. */
async function endOf(stream: EventStream): Promise<unknown> {
  await stream.ended();
  return stream.received.at(-1);
}
const UNAUTHORIZED = expect.objectContaining({ name: 'end', data: { reason: 'unauthorized' } });

it('an event stream ends with the API key that it was opened with, and no other does', async () => {
  const { id, apiKey } = await someKey();
  const stream = await open({ 'x-tenant-id': 'acme', 'x-api-key': apiKey });
  const kept = await open({ 'x-tenant-id': 'acme', 'x-api-key': api.tenant.apiKey });
  const elsewhere = await open({ 'x-tenant-id': 'umbrella', 'x-api-key': other.apiKey });
  const end = endOf(stream);
  await revoke(id);
  expect(await end).toEqual(UNAUTHORIZED);
  await daemon.app.get(FollowedCredentials).look();
  for (const one of [kept, elsewhere]) {
    expect(one.received.map(({ name }) => name)).not.toContain('end');
    await one.close();
  }
});

it('a subscription at the MCP listener ends with the API key that it was opened with', async () => {
  const { id, apiKey } = await someKey();
  const headers = { 'x-tenant-id': 'acme', 'x-api-key': apiKey, 'content-type': 'application/json' };
  const subscribed = await fetch(daemon.mcpUrl, {
    method: 'POST',
    headers: { ...mirrored('subscriptions/listen'), ...headers },
    body: JSON.stringify(envelope('subscriptions/listen', { notifications: { toolsListChanged: true } })),
  });
  const events = subscribed.body!.pipeThrough(new TextDecoderStream()).getReader();
  expect((await events.read()).value).toContain('notifications/subscriptions/acknowledged');
  let isOver = false;
  const over = (async () => {
    // Cut off, it may be an error to the client.
    const next = () => events.read().catch(() => ({ done: true }));
    for (let part = await next(); !part.done;) part = await next();
    isOver = true;
  })();
  await daemon.app.get(FollowedCredentials).look();
  expect(isOver).toBe(false);
  await revoke(id);
  await over;
});

it('an event stream ends with the agent that it was opened by', async () => {
  const agent = await givenAgent(api.url);
  const session = await givenSession(api, api.tenant);
  expect((await session('POST', `/v1/agents/${agent.agentId}/sponsor`, {})).status).toBe(200);
  const stream = await open({ authorization: `Bearer ${agent.token}` });
  const end = endOf(stream);
  expect((await session('DELETE', `/v1/org/agents/${agent.agentId}`)).status).toBe(200);
  expect(await end).toEqual(UNAUTHORIZED);
});

it('an event stream ends with the time of its token, and that of a key', async () => {
  // The clocks of issuer and daemon may differ by 30 seconds: it is valid for some seconds more.
  const token = await hs256(claims({ exp: seconds(-24) }));
  const { id, apiKey } = await someKey();
  const streams = [
    await open({ authorization: `Bearer ${token}` }),
    await open({ 'x-tenant-id': 'acme', 'x-api-key': apiKey }),
  ];
  await api.database.query('update api_key set expires_at = clock_timestamp() where key_id = $1', [id]);
  const ends = Promise.all(streams.map(endOf)).then((last) => ({ last }));
  for (;;) {
    const ended = await Promise.race([ends, sleep(100)]);
    if (ended) {
      expect(ended.last).toEqual([UNAUTHORIZED, UNAUTHORIZED]);
      return;
    }
    await daemon.app.get(FollowedCredentials).look();
  }
});
