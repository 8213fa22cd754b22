import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOG, type Log } from '../../../src/common/observability/log.js';
import { NatsSink } from '../../../src/modules/events/outbox/publisher/nats.sink.js';
import { PublisherService } from '../../../src/modules/events/outbox/publisher/publisher.service.js';
import { send, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { emit } from './given.js';
import { NatsServer } from './nats-server.js';

const STREAM = 'TEST_EVENTS';
let nats: NatsServer;
let api: TestApi;
let dotted: TestTenant;
beforeAll(async () => {
  nats = await NatsServer.start();
  api = await startApi({ env: { SVC_NATS_URL: nats.url, SVC_NATS_STREAM: STREAM } });
  dotted = await api.addTenant('dotted.tenant >');
});
afterAll(async () => {
  await api.close();
  await nats.close();
});

interface Stored {
  subject: string;
  id: string;
  event: any;
}

/** Everything the stream holds under a subject, in its order. */
async function stored(filter = 'svc.events.>'): Promise<Stored[]> {
  let connection: NatsConnection | undefined;
  try {
    connection = await connect({ servers: new URL(nats.url).host, reconnect: false });
    const manager = await jetstreamManager(connection);
    const { num_pending: count, name } = await manager.consumers.add(STREAM, {
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.All,
      filter_subject: filter,
    });
    const found: Stored[] = [];
    if (count === 0) return found;
    const consumer = await jetstream(connection).consumers.get(STREAM, name);
    for await (const message of await consumer.fetch({ max_messages: count, expires: 5_000 })) {
      found.push({ subject: message.subject, id: message.headers!.get('Nats-Msg-Id'), event: message.json() });
    }
    return found;
  } finally {
    await connection?.close();
  }
}
const subjectsOf = async (filter: string) => (await stored(filter)).map(({ event }) => event.subject);
const soon = { timeout: 20_000, interval: 200 };
const lag = async () =>
  Number(/svc_outbox_lag_events\{sink="nats"\} (\d+)/.exec((await send(api.url, 'GET', '/metrics')).text)?.[1]);

describe('events on NATS JetStream', () => {
  it('come as envelopes under the subject of their tenant and kind, with the id of the event as message id', async () => {
    const id = await emit(api, dotted, 'test.happened', 'one');
    await expect
      .poll(() => stored('svc.events.dotted=2Etenant=20=3E.>'), soon)
      .toEqual([
        {
          subject: 'svc.events.dotted=2Etenant=20=3E.test.happened',
          id,
          event: {
            specversion: '1.0',
            id,
            source: 'svc',
            type: 'test.happened',
            subject: 'one',
            time: expect.any(String),
            datacontenttype: 'application/json',
            tenant_id: 'dotted.tenant >',
            data: { subject: 'one' },
          },
        },
      ]);
  });

  it(
    'wait while the server is away, without the API minding, and come once and in order when it is back',
    { timeout: 60_000 },
    async () => {
      const before = Array.from({ length: 30 }, (_, n) => `before-${n}`);
      const after = Array.from({ length: 30 }, (_, n) => `after-${n}`);
      for (const subject of before) await emit(api, api.tenant, 'outage.test', subject);
      await nats.kill();
      for (const subject of after) await emit(api, api.tenant, 'outage.test', subject);
      expect((await send(api.url, 'GET', '/readyz')).status).toBe(200);
      await expect.poll(lag, soon).toBeGreaterThanOrEqual(after.length);
      await nats.resume();
      await expect.poll(() => subjectsOf('svc.events.acme.outage.test'), soon).toEqual([...before, ...after]);
      await expect.poll(lag, soon).toBe(0);
    },
  );

  it('that are published again are known by the server, and are there once', async () => {
    const all = await stored();
    await api.database.query(`update outbox_cursor set transaction = '0', position = 0 where sink = 'nats'`);
    const id = await emit(api, api.tenant, 'again.test', 'new');
    await expect.poll(async () => (await stored()).at(-1)?.id, soon).toBe(id);
    expect((await stored()).map((one) => one.id)).toEqual([...all.map((one) => one.id), id]);
  });

  it('too large for the server go without their data, and hold up none', async () => {
    await api.database.query(
      `insert into outbox_event (tenant_id, event_id, kind, subject, data)
       values ('acme', gen_random_uuid(), 'large.test', 'large', jsonb_build_object('text', repeat('x', 2000000)))`,
    );
    await emit(api, api.tenant, 'large.test', 'small');
    await expect.poll(() => subjectsOf('svc.events.acme.large.test'), soon).toEqual(['large', 'small']);
    expect((await stored('svc.events.acme.large.test'))[0]!.event.data).toEqual({ omitted: expect.any(String) });
  });

  it('too large for the stream go without their data, or not at all, and hold up none', async () => {
    const resize = async (max_msg_size: number): Promise<void> => {
      const connection = await connect({ servers: new URL(nats.url).host, reconnect: false });
      await (await jetstreamManager(connection)).streams.update(STREAM, { max_msg_size });
      await connection.close();
    };
    await resize(600);
    const long = 'x'.repeat(1_000);
    await api.database.query(
      `insert into outbox_event (tenant_id, event_id, kind, subject, data) values
         ('acme', gen_random_uuid(), 'sized.test', 'large', jsonb_build_object('text', $1::text)),
         ('acme', gen_random_uuid(), 'sized.test', $1, '{}')`,
      [long],
    );
    await emit(api, api.tenant, 'sized.test', 'small');
    await expect.poll(() => subjectsOf('svc.events.acme.sized.test'), soon).toEqual(['large', 'small']);
    await resize(-1);
  });

  it('of which a server takes few in the time of a step come in the next ones', async () => {
    const options = { url: nats.url, stream: STREAM, source: 'svc', retentionDays: 1, log: api.app.get<Log>(LOG) };
    const sink = new NatsSink({ ...options, stepMs: 0 });
    await sink.prepare();
    const events = ['acme', 'umbrella', 'acme', 'acme'].map((tenantId, place) => ({
      ...{ tenantId, eventId: crypto.randomUUID(), kind: 'slow.test', subject: `${place}`, data: {} },
      ...{ occurredAt: new Date(), transaction: '1', position: `${place}` },
    }));
    const steps: number[] = [];
    for (let left = events; left.length > 0; left = left.slice(steps.at(-1))) steps.push(await sink.publish(left));
    await sink.close();
    expect(steps).toEqual([2, 1, 1]);
    expect(await subjectsOf('svc.events.*.slow.test')).toEqual(expect.arrayContaining(['0', '1', '2', '3']));
    expect(await subjectsOf('svc.events.acme.slow.test')).toEqual(['0', '2', '3']);
  });

  it('are all out when the publisher has stopped, or still in the outbox', async () => {
    for (let n = 0; n < 50; n += 1) await emit(api, api.tenant, 'stop.test', `${n}`);
    await api.app.get(PublisherService).beforeApplicationShutdown();
    const out = await subjectsOf('svc.events.acme.stop.test');
    const [left] = await api.database.query<{ count: number }>(
      `select count(*)::int as count from outbox_event e, outbox_cursor c
       where c.sink = 'nats' and e.kind = 'stop.test' and (e.transaction, e.position) > (c.transaction, c.position)`,
    );
    expect(out).toEqual(Array.from({ length: 50 - left!.count }, (_, n) => `${n}`));
  });
});
