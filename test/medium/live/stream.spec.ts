import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Connections } from '../../../src/common/database/connections.js';
import { send, startApi, type TestApi } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { EventStream } from './event-stream.js';

let api: TestApi;
let daemon: TestDaemon;
let second: TestDaemon;
beforeAll(async () => {
  api = await startApi();
  daemon = await startDaemon({ database: api.database });
  second = await startDaemon({ database: api.database });
});
afterAll(async () => {
  await daemon.close();
  await second.close();
  await api.close();
});

const open = (on: TestDaemon, lastEventId?: string, tenant = 'acme', scopes = 'query:read') =>
  EventStream.open(on.url, {
    'x-svc-scopes': scopes,
    'x-svc-tenant-id': tenant,
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  });

const REQUEST = { title: 'Wombats', body: 'More of them.' };
/** Something that makes an event, on the other app. */
const happen = async () => {
  const { status } = await api.tenant.call('POST', '/v1/feedback/requests', REQUEST);
  expect(status).toBe(201);
};

describe('the event stream', () => {
  it('delivers the events of the tenant from every process, on every daemon', async () => {
    const streams = [await open(daemon), await open(second)];
    await happen();
    for (const stream of streams) {
      const event = await stream.next();
      expect(event).toMatchObject({ name: expect.stringMatching(/^[\w.]+$/), data: { tenant_id: 'acme' } });
      expect(event.data.type).toBe(event.name);
      await stream.close();
    }
  });

  it('goes on after the event that was seen last: nothing is missed, nothing comes twice', async () => {
    const first = await open(daemon);
    await happen();
    const seen = await first.next();
    await first.close();
    await happen();
    const again = await open(second, seen.id);
    await happen();
    const ids = new Set([seen.id]);
    const all = (await api.tenant.call('GET', '/v1/events?limit=200')).body.events as { id: string }[];
    const behind = all.findIndex(({ id }) => id === seen.data.id);
    const expected = all.slice(behind + 1).map(({ id }) => id);
    const received: string[] = [];
    while (received.length < expected.length) {
      const event = await again.next();
      expect(ids.has(event.id)).toBe(false);
      ids.add(event.id);
      received.push(event.data.id);
    }
    expect(received).toEqual(expected);
    await again.close();
  });

  it('takes no place from writes, nor waits for one', async () => {
    const stream = await open(daemon);
    const { writes } = daemon.app.get(Connections).app;
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    // More than there are places.
    const holding = Array.from({ length: 64 }, () => writes.run(() => held, 'umbrella').catch(() => undefined));
    try {
      await happen();
      expect(await stream.next()).toMatchObject({ data: { tenant_id: 'acme' } });
    } finally {
      release();
      await Promise.all(holding);
    }
    await stream.close();
  });

  it('delivers no event of another tenant', async () => {
    const foreign = await open(daemon, undefined, 'umbrella');
    const own = await open(daemon);
    await happen();
    await own.next();
    await own.close();
    expect(foreign.received).toEqual([]);
    await foreign.close();
  });

  it('asks for a scope, and for an id that can be one of its own', async () => {
    const headers = { 'x-svc-scopes': 'query:read' };
    expect((await send(daemon.url, 'GET', '/v1/events/stream')).status).toBe(401);
    const scoped = await send(daemon.url, 'GET', '/v1/events/stream', undefined, { 'x-svc-scopes': 'events:read' });
    expect([scoped.status, scoped.body.code]).toEqual([403, 'MISSING_SCOPE']);
    for (const id of ['abc', '1', '9223372036854775807-1']) {
      const sent = { ...headers, 'last-event-id': id };
      const { status, body } = await send(daemon.url, 'GET', '/v1/events/stream', undefined, sent);
      expect([id, status, body.issues?.[0].path]).toEqual([id, 400, 'headers.last-event-id']);
    }
  });

  it('bounds how many one caller keeps open', async () => {
    const headers = { 'x-svc-scopes': 'query:read', 'x-svc-passport-id': 'greedy' };
    const streams = await Promise.all(Array.from({ length: 64 }, () => EventStream.open(daemon.url, headers)));
    const refused = await send(daemon.url, 'GET', '/v1/events/stream', undefined, headers);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    const elsewhere = await EventStream.open(daemon.url, { ...headers, 'x-svc-tenant-id': 'umbrella' });
    await Promise.all([...streams, elsewhere].map((stream) => stream.close()));
  });

  it('bounds those that are asked for at the same time too', async () => {
    const headers = { 'x-svc-scopes': 'query:read', 'x-svc-passport-id': 'hasty' };
    const asked = await Promise.allSettled(Array.from({ length: 80 }, () => EventStream.open(daemon.url, headers)));
    const opened = asked.filter((one) => one.status === 'fulfilled').map(({ value }) => value);
    expect(opened).toHaveLength(64);
    await Promise.all(opened.map((stream) => stream.close()));
  });
});
