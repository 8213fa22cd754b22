import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RetentionSweep } from '../../../src/modules/events/outbox/publisher/retention.sweep.js';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { emit, follow } from './given.js';

/** No event is delivered while an older transaction of any test on this server is open: the others run concurrently. */
const soon = { timeout: 10_000 };
let api: TestApi;
let umbrella: TestTenant;
beforeAll(async () => {
  api = await startApi();
  umbrella = await api.addTenant('umbrella');
});
afterAll(() => api.close());

const INSERT = `insert into outbox_event (tenant_id, event_id, kind, subject, data) values ('acme', gen_random_uuid(), 'test.late', $1, '{}')`;

/** A transaction of the tenant's that has written an event and is still running. */
async function lateWriter(subject: string): Promise<{ commit(): Promise<void> }> {
  const client = new Client(api.database.urlAs('svc_app'));
  await client.connect();
  await client.query('begin');
  await client.query(`select set_config('svc.tenant_id', 'acme', true)`);
  await client.query(INSERT, [subject]);
  return {
    commit: async () => {
      await client.query('commit');
      await client.end();
    },
  };
}

describe('the event stream', () => {
  it('delivers a whole event, to its tenant alone, with filters', async () => {
    const id = await emit(api, api.tenant, 'test.happened', 'thing-1');
    await emit(api, umbrella, 'test.happened', 'thing-1');
    await emit(api, api.tenant, 'test.other', 'thing-2');
    await expect.poll(async () => (await follow(api.tenant)).events.length, soon).toBe(2);
    const { body } = await api.tenant.call('GET', '/v1/events?kind=test.happened&subject=thing-1');
    expect(body).toEqual({
      events: [
        {
          id,
          source: 'svc',
          type: 'test.happened',
          subject: 'thing-1',
          time: expect.stringMatching(/^\d{4}-.*Z$/),
          tenant_id: 'acme',
          data: { subject: 'thing-1' },
        },
      ],
      next_cursor: null,
      resume_cursor: expect.any(String),
    });
    const subjects = async (query: string) =>
      (await follow(api.tenant, undefined, query)).events.map((event) => event.subject);
    expect(await subjects('&kind=test.*')).toEqual(['thing-1', 'thing-2']);
    expect(await subjects('&kind=test')).toEqual([]);
    expect(await subjects('&since=2999-01-01T00:00:00Z')).toEqual([]);
  });

  it('holds back what came after a transaction that is still running, and then misses nothing', async () => {
    const { cursor } = await follow(api.tenant);
    const late = await lateWriter('late');
    await emit(api, api.tenant, 'test.after', 'after');
    const before = await follow(api.tenant, cursor);
    expect(before.events).toEqual([]);
    await late.commit();
    let at = before.cursor;
    const received: string[] = [];
    await expect
      .poll(async () => {
        const page = await follow(api.tenant, at);
        at = page.cursor;
        received.push(...page.events.map((event) => event.subject));
        return received;
      }, soon)
      .toEqual(['late', 'after']);
  });

  it('is followed without gap or double while many write, some of them slowly', { timeout: 60_000 }, async () => {
    let { cursor } = await follow(api.tenant);
    const [writers, each] = [8, 25];
    const received: string[] = [];
    const read = async () => {
      const page = await follow(api.tenant, cursor);
      cursor = page.cursor;
      received.push(...page.events.map((event) => event.subject));
      return received.length;
    };
    const write = async (writer: number) => {
      for (let n = 0; n < each; n += 1) {
        const slow = n % 10 === 0 ? await lateWriter(`${writer}-slow-${n}`) : undefined;
        await emit(api, api.tenant, 'test.write', `${writer}-${n}`);
        await slow?.commit();
      }
    };
    let isWriting = true;
    const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer))).then(() => {
      isWriting = false;
    });
    while (isWriting) await read();
    await writing;
    const total = writers * (each + Math.ceil(each / 10));
    await expect.poll(read, soon).toBe(total);
    expect(new Set(received).size).toBe(total);
    for (let writer = 0; writer < writers; writer += 1) {
      const own = received.filter((subject) => new RegExp(`^${writer}-\\d`).test(subject));
      expect(own).toEqual(Array.from({ length: each }, (_, n) => `${writer}-${n}`));
    }
  });

  it('refuses a cursor that is ahead of the database, and one that is none', async () => {
    for (const key of [
      ['99999999999', '1'],
      ['-1', '1'],
      ['1', 'x'],
      [1, 1],
    ]) {
      const cursor = Buffer.from(JSON.stringify(key)).toString('base64url');
      const { status, body } = await api.tenant.call('GET', `/v1/events?cursor=${cursor}`);
      expect([key, status, body.issues?.[0].path]).toEqual([key, 400, 'query.cursor']);
    }
  });
});

describe('old events', () => {
  it('are removed when every sink has passed them, and not before', async () => {
    await emit(api, api.tenant, 'test.old', 'old');
    await expect.poll(async () => (await follow(api.tenant, undefined, '&kind=test.old')).events.length, soon).toBe(1);
    await api.database.query(
      `update outbox_event set occurred_at = now() - interval '31 days' where kind = 'test.old'`,
    );
    const sweep = api.app.get(RetentionSweep);
    await api.database.query(`insert into outbox_cursor (sink) values ('webhooks') on conflict do nothing`);
    await expect.poll(() => sweep.sweep(), soon).toBe(1);
    expect((await follow(api.tenant, undefined, '&kind=test.old')).events).toEqual([]);
  });
});

describe('a restored database', () => {
  it('whose events have transaction ids of the future delivers them, and the events after them', async () => {
    const restored = await startApi({ env: { SVC_JOBS: '0' } });
    const after = await emit(restored, restored.tenant, 'test.before', 'before');
    await expect.poll(async () => (await follow(restored.tenant)).events.length, soon).toBe(1);
    const { cursor: ofBefore } = await follow(restored.tenant);
    await restored.database.query(`update outbox_event set transaction = '900000000000'`);
    await restored.database.query(`insert into outbox_cursor values ('webhooks', '900000000000', 0)`);
    expect((await follow(restored.tenant)).events).toEqual([]);
    const worker = await startApi({ database: restored.database });
    await emit(restored, restored.tenant, 'test.after', 'after');
    await expect
      .poll(async () => (await follow(restored.tenant)).events.map((event) => event.subject), soon)
      .toEqual(['before', 'after']);
    // Its transaction is one of the past here, too.
    const kept = await restored.tenant.call('GET', `/v1/events?cursor=${ofBefore}`);
    expect([kept.status, kept.body.issues?.[0].path]).toEqual([400, 'query.cursor']);
    const page = (await restored.tenant.call('GET', '/v1/events?limit=1')).body;
    const next = await follow(restored.tenant, page.next_cursor);
    expect([...page.events, ...next.events].map((event) => event.subject)).toEqual(['before', 'after']);
    expect((await follow(restored.tenant, next.cursor)).events).toEqual([]);
    const [cursor] = await restored.database.query<{ transaction: string }>(
      `select transaction::text as transaction from outbox_cursor where sink = 'webhooks'`,
    );
    expect([Number(cursor!.transaction) < 900_000_000_000, after.length]).toEqual([true, 36]);
    await worker.close();
    await restored.close();
  });
});
