import type { Server } from 'node:http';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SseTransport } from '../../../src/rpc/transports/sse.transport.js';
import { send, startApi, type TestApi } from '../../kit/app.js';
import { whileLocked } from '../../kit/held-lock.js';
import { startTools, type TestTools } from '../../kit/tools.js';
import { SseClient } from './sse-client.js';

const soon = { timeout: 20_000, interval: 20 };
const ID = /^[0-9a-f]{12}-\d{10}$/;
let api: TestApi;
let tools: TestTools;
const clients: SseClient[] = [];
beforeAll(async () => {
  api = await startApi();
  tools = await startTools(api);
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await expect.poll(connections, soon).toBe(0);
});
afterAll(async () => {
  await tools.close();
  await api.close();
});

const connections = async () =>
  Number(/^svc_sse_connections (\d+)/m.exec((await send(tools.url, 'GET', '/metrics')).text)?.[1]);
/** Credentials that are none. */
const NOT_ENOUGH: Record<string, string>[] = [
  {},
  { 'x-tenant-id': 'acme' },
  { 'x-tenant-id': 'acme', 'x-api-key': 'svc_key_wrong' },
];
const credential = ({ tenantId, apiKey } = api.tenant) => ({ 'x-tenant-id': tenantId, 'x-api-key': apiKey });

function open(headers: Record<string, string> = {}, url = tools.url): SseClient {
  const client = new SseClient(url, { ...credential(), ...headers });
  clients.push(client);
  return client;
}

/** A whole round: every connection's turn comes once. */
async function round(): Promise<void> {
  for (let group = 0; group < 15; group += 1) await tools.app.get(SseTransport).beat();
}

/** A client past its beginning. @returns the id of the event with which it began */
async function begun(client: SseClient): Promise<string> {
  await client.next();
  return (await client.next())!.id!;
}

describe('the events', () => {
  it('begin with how to come back and the capabilities, under headers that let them through proxies', async () => {
    const client = open({ 'x-request-id': 'sse-1' });
    const { statusCode, headers } = await client.head;
    expect([statusCode, headers]).toMatchObject([
      200,
      {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
        'x-request-id': 'sse-1',
      },
    ]);
    expect(await client.next()).toEqual({ comment: 'svc-tools', retry: '3000' });
    const { body } = await send(tools.url, 'GET', '/capabilities', undefined, credential());
    expect(await client.next()).toEqual({ event: 'capabilities', id: expect.stringMatching(ID), data: body });
    expect(body.tools.length).toBeGreaterThan(29);
  });

  it('go on with heartbeats, whose ids grow', async () => {
    const client = open();
    const ids = [await begun(client)];
    for (let beat = 0; beat < 3; beat += 1) {
      await round();
      const { id, event, data } = (await client.next())!;
      expect([event, Object.keys(data)]).toEqual(['heartbeat', ['at']]);
      expect(data.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      ids.push(id!);
    }
    expect([...new Set(ids)].sort()).toEqual(ids);
    expect(ids.map((id) => Number(id.split('-')[1]))).toEqual([1, 2, 3, 4]);
  });

  it('come to each connection once in a round, whenever it began; the last one says that the process stops', async () => {
    const own = await startTools(api);
    const transport = own.app.get(SseTransport);
    const counted: SseClient[] = [];
    for (let n = 0; n < 15; n += 1) {
      counted.push(open({}, own.url));
      await begun(counted[n]!);
      await transport.beat();
    }
    for (let group = 0; group < 15; group += 1) await transport.beat();
    const rest = Promise.all(counted.map((client) => client.rest()));
    await own.close();
    const beats = (await rest).map((events) => events.filter(({ event }) => event === 'heartbeat').length);
    // The first had its second turn when the round started again; the process's own timer may have fired in addition.
    expect([beats.at(0), beats.at(-1)]).toEqual([2, 1]);
    expect([...beats].sort((one, other) => other - one)).toEqual(beats);
    expect((await rest)[0]!.at(-1)).toEqual({
      event: 'end',
      id: expect.stringMatching(ID),
      data: { reason: 'shutdown' },
    });
  });
});

it('one caller has as many as a process keeps for it, and others have theirs', { timeout: 120_000 }, async () => {
  for (let opened = 0; opened < 1024; opened += 128) await Promise.all(Array.from({ length: 128 }, () => open().head));
  const { statusCode, headers } = await open().head;
  expect([statusCode, headers['retry-after']]).toEqual([429, '5']);
  const { apiKey } = (await api.tenant.call('POST', '/v1/org/api-keys', { label: 'other' })).body;
  expect((await open(credential({ ...api.tenant, apiKey })).head).statusCode).toBe(200);
});

describe('a client that reconnects', () => {
  it('with the id of its last event gets the position it resumes from, and not the capabilities again', async () => {
    const first = open();
    const id = await begun(first);
    first.destroy();
    const second = open({ 'last-event-id': id });
    expect(await second.next()).toMatchObject({ retry: '3000' });
    const resumed = (await second.next())!;
    expect(resumed).toEqual({ event: 'resumed', id: expect.stringMatching(ID), data: { after: id } });
    expect(resumed.id! > id).toBe(true);
    await round();
    const heartbeat = (await second.next())!;
    expect([heartbeat.event, heartbeat.id! > resumed.id!]).toEqual(['heartbeat', true]);
  });

  it('gets the capabilities when they have changed, and its count goes on', async () => {
    const client = open({ 'last-event-id': '0123456789ab-0000000041' });
    await client.next();
    const event = (await client.next())!;
    expect([event.event, event.id!.split('-')[1]]).toEqual(['capabilities', '0000000042']);
  });

  it.each(['0', '0123456789ab', '0123456789AB-0000000007'])(
    'with an id of another form starts again: %s',
    async (id) => {
      const client = open({ 'last-event-id': id });
      await client.next();
      const event = (await client.next())!;
      expect([event.event, event.id!.split('-')[1]]).toEqual(['capabilities', '0000000001']);
    },
  );
});

describe('the credential', () => {
  it('is asked for', async () => {
    for (const headers of NOT_ENOUGH) {
      const answer = await send(tools.url, 'GET', '/sse', undefined, headers);
      expect([answer.status, answer.body.type]).toEqual([401, 'Unauthorized']);
    }
  });

  it('may be looked up for a client that goes meanwhile: nothing of it is kept', async () => {
    const made = (await api.tenant.call('POST', '/v1/org/api-keys', { label: 'gone' })).body;
    const own = credential({ ...api.tenant, apiKey: made.apiKey });
    const server: Server = tools.app.getHttpServer();
    const sockets = () => promisify(server.getConnections.bind(server))();
    await whileLocked(api.database, 'lock table api_key in access exclusive mode', async (held) => {
      const client = open(own);
      await held.waitForBlocked(1);
      const before = await sockets();
      client.destroy();
      await expect.poll(sockets, soon).toBeLessThan(before);
    });
    await begun(open(own));
    expect(await connections()).toBe(1);
  });

  it('ends the connection as soon as it is revoked, and no other', async () => {
    const made = (await api.tenant.call('POST', '/v1/org/api-keys', { label: 'sse' })).body;
    const [revoked, other] = [open(credential({ ...api.tenant, apiKey: made.apiKey })), open()];
    await begun(revoked);
    const id = await begun(other);
    expect((await api.tenant.call('DELETE', `/v1/org/api-keys/${made.id}`)).status).toBe(200);
    const last = (await revoked.rest()).at(-1);
    expect(last).toEqual({ event: 'end', id: expect.stringMatching(ID), data: { reason: 'unauthorized' } });
    await round();
    expect((await other.next())!.id! > id).toBe(true);
    expect(await connections()).toBe(1);
  });

  it('is checked with every heartbeat: one that has expired since ends its connection', async () => {
    const made = (await api.tenant.call('POST', '/v1/org/api-keys', { label: 'short' })).body;
    const client = open(credential({ ...api.tenant, apiKey: made.apiKey }));
    await begun(client);
    await api.database.query(`update api_key set expires_at = now() where key_id = $1`, [made.id]);
    const events = client.rest();
    // What was cached before the change stays cached for five seconds.
    await expect
      .poll(async () => {
        await round();
        return connections();
      }, soon)
      .toBe(0);
    const found = (await events).map(({ event }) => event);
    expect([found.at(0), found.at(-1)]).toEqual(['heartbeat', 'end']);
  });
});
