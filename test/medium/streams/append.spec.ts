import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { EvidenceService } from '../../../src/common/evidence-log/evidence.service.js';
import { StreamsService } from '../../../src/modules/memory/streams/streams.service.js';
import { send, type Answer } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

const MIB = 1024 * 1024;
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.close());

const event = (n: number) => ({ type: 'order.paid', payload: { n } });
const append = (stream_id: string, members: object = {}, tenant_id = 'default'): Promise<Answer> =>
  daemon.call('POST', '/v1/append', { tenant_id, stream_type: 'order', stream_id, events: [event(1)], ...members });
const read = async (streamId: string, tenant = 'default') => {
  const page = await daemon.app
    .get(Tenancy)
    .run(tenant, () =>
      daemon.app.get(StreamsService).find({ streamType: 'order', streamId }, { fromSeq: 0, max: 10_000 }),
    );
  return page && { nextSeq: page.nextSeq, payloads: page.events.map(({ payload }) => payload), events: page.events };
};

describe('POST /v1/append', () => {
  it('begins a stream at seq 0 and goes on from there', async () => {
    const first = await append('goes-on', { events: [event(1), event(2)] });
    expect([first.status, first.body]).toEqual([
      200,
      {
        appended: 2,
        duplicates: 0,
        tenant_id: 'default',
        stream_type: 'order',
        stream_id: 'goes-on',
        first_seq: 0,
        next_seq: 2,
        receipt_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ]);
    const second = await append('goes-on', { events: [event(3)], expected_next_seq: 2 });
    expect(second.body).toMatchObject({ appended: 1, first_seq: 2, next_seq: 3 });
    expect((await read('goes-on'))?.payloads).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  it('refuses another position with the actual one, and appends nothing', async () => {
    await append('elsewhere');
    for (const expected_next_seq of [0, 2, '18446744073709551615']) {
      const { status, body, headers } = await append('elsewhere', { expected_next_seq });
      expect([status, headers.get('content-type')]).toEqual([409, 'application/problem+json']);
      expect(body).toMatchObject({
        type: 'urn:svc:errors/next-seq-mismatch',
        code: 'NEXT_SEQ_MISMATCH',
        expected_next_seq,
        actual_next_seq: 1,
      });
    }
    expect((await append('elsewhere', { expected_next_seq: '1' })).body).toMatchObject({ first_seq: 1, next_seq: 2 });
    expect((await append('is-new', { expected_next_seq: 3 })).body).toMatchObject({ actual_next_seq: 0 });
    expect(await read('is-new')).toBeUndefined();
  });

  it('lets exactly one of sixteen writers with the same position win', async () => {
    await append('race');
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, n) => append('race', { expected_next_seq: 1, events: [event(n)] })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(15).fill(409)]);
    expect((await read('race'))?.nextSeq).toBe(2);
  });

  it('gives writers without a position seqs without gaps', async () => {
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, n) => append('open', { events: [event(n), event(n)] })),
    );
    expect(answers.map(({ body }) => body.first_seq as number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 16 }, (_, n) => 2 * n),
    );
    const kept = await read('open');
    expect(kept?.events.map(({ seq }) => seq)).toEqual(Array.from({ length: 32 }, (_, n) => n));
  });

  it('appends no event twice that has an event_id, and answers a repeat with the first receipt', async () => {
    const events = [1, 2].map((n) => ({ ...event(n), event_id: `e${n}`, occurred_at: '2026-01-31T12:00:00.5+02:00' }));
    const first = await append('repeat', { events, expected_next_seq: 0 });
    const again = await append('repeat', { events, expected_next_seq: 0 });
    expect(again.body).toEqual({ ...first.body, appended: 0, duplicates: 2 });
    const more = await append('repeat', { events: [...events, { ...event(3), event_id: 'e3' }] });
    expect(more.body).toMatchObject({ appended: 1, duplicates: 2, first_seq: 2, next_seq: 3 });
    const other = await append('repeat', { events: [event(9), { ...events[1], payload: { n: 4 } }] });
    expect([other.status, other.body]).toEqual([409, expect.objectContaining({ event_id: 'e2', seq: 1 })]);
    expect((await read('repeat'))?.payloads).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect((await read('repeat'))?.events[0]).toMatchObject({ occurredAt: '2026-01-31T10:00:00.500Z', eventId: 'e1' });
  });

  it('keeps the streams of tenants apart', async () => {
    await append('apart', {}, 'other');
    expect((await append('apart', { expected_next_seq: 0 })).status).toBe(200);
    expect((await read('apart', 'other'))?.nextSeq).toBe(1);
    expect(await read('apart', 'third')).toBeUndefined();
  });

  it('takes admin:write alone', async () => {
    const { status, body } = await daemon.as({ scopes: 'facts:write admin:read' })('POST', '/v1/append', {});
    expect([status, body.missingAnyScope]).toEqual([403, ['admin:write']]);
  });

  it('publishes an event to the outbox', async () => {
    const { body } = await append('published');
    const rows = await daemon.database.query<{ data: object }>(
      `select data from outbox_event where kind = 'stream.appended' and subject = 'order/published'`,
    );
    expect(rows.map(({ data }) => data)).toEqual([
      {
        stream_type: 'order',
        stream_id: 'published',
        first_seq: 0,
        count: 1,
        next_seq: 1,
        receipt_id: body.receipt_id,
      },
    ]);
  });

  it('receipts what it appended in a chain of the stream', async () => {
    const answers = [await append('proved', { events: [event(1), event(2)] }), await append('proved')];
    const receipts = await daemon.app.get(Tenancy).run('default', async () => {
      const found = [];
      for (const { body } of answers) found.push(await daemon.app.get(EvidenceService).read(body.receipt_id as string));
      return found;
    });
    expect(receipts.map(({ payload }) => [payload.kind, payload.stream, payload.seq, payload.subject])).toEqual([
      ['stream.appended', 'stream:order/proved', 1, 'order/proved'],
      ['stream.appended', 'stream:order/proved', 2, 'order/proved'],
    ]);
    expect(receipts[0]?.payload.body).toMatchObject({ first_seq: 0, count: 2, stream_id: 'proved' });
    expect(receipts[1]?.payload.body).toMatchObject({ first_seq: 2, count: 1 });
  });

  const big = (bytes: number, tail = '') =>
    `{"tenant_id":"default","stream_type":"order","stream_id":"big${tail}","events":[{"type":"t","payload":{"x":"${'x'.repeat(bytes - 200)}"}}]}`.padEnd(
      bytes,
      ' ',
    );
  it('takes bodies up to 64 MiB, and no byte more', async () => {
    expect((await daemon.call('POST', '/v1/append', big(17 * MIB))).body).toMatchObject({ appended: 1 });
    expect((await daemon.call('POST', '/v1/append', big(64 * MIB))).body).toMatchObject({ appended: 1, next_seq: 2 });
    const { status, body } = await daemon.call('POST', '/v1/append', big(64 * MIB + 1));
    expect([status, body.type]).toEqual([413, 'urn:svc:errors/payload-too-large']);
  });

  it('takes ten thousand events at once, each written as it was sent', async () => {
    const events = Array.from({ length: 10_000 }, (_, n) => ({
      type: 'bulk',
      event_id: `b${n}`,
      payload: { n, text: randomBytes(20).toString('hex'), deep: { list: [n, null, true, 0.5] } },
    }));
    expect((await append('bulk', { events })).body).toMatchObject({ appended: 10_000, next_seq: 10_000 });
    expect((await read('bulk'))?.payloads).toEqual(events.map(({ payload }) => payload));
    expect((await append('bulk', { events: [...events, event(1)] })).status).toBe(400);
  });

  it.each([
    ['tenant_id', { tenant_id: undefined }, 'body.tenant_id'],
    ['a long tenant_id', { tenant_id: 'x'.repeat(121) }, 'body.tenant_id'],
    ['stream_type', { stream_type: 'a/b' }, 'body.stream_type'],
    ['an empty stream_id', { stream_id: '' }, 'body.stream_id'],
    ['a stream_id of many bytes', { stream_id: '€'.repeat(400) }, 'body.stream_id'],
    ['an unknown member', { nonsense: 1 }, 'body.nonsense'],
    ['no events', { events: [] }, 'body.events'],
    ['events that are no list', { events: {} }, 'body.events'],
    ['an event that is none', { events: [event(1), 7] }, 'body.events[1]'],
    ['an event without type', { events: [{ payload: {} }] }, 'body.events[0].type'],
    ['an event without payload', { events: [{ type: 'a' }] }, 'body.events[0].payload'],
    ['a payload that is no object', { events: [{ type: 'a', payload: [] }] }, 'body.events[0].payload'],
    ['an unknown member of an event', { events: [{ ...event(1), id: 'x' }] }, 'body.events[0].id'],
    ['a time that is none', { events: [{ ...event(1), occurred_at: 'now' }] }, 'body.events[0].occurred_at'],
    [
      'a time before the year 1 in UTC',
      { events: [{ ...event(1), occurred_at: '0001-01-01T00:00:00+14:00' }] },
      'body.events[0].occurred_at',
    ],
    ['an empty event_id', { events: [{ ...event(1), event_id: '' }] }, 'body.events[0].event_id'],
    [
      'an event_id twice',
      { events: [1, 2].map((n) => ({ ...event(n), event_id: 'same' })) },
      'body.events[1].event_id',
    ],
    ['a negative position', { expected_next_seq: -1 }, 'body.expected_next_seq'],
    ['a fraction', { expected_next_seq: 0.5 }, 'body.expected_next_seq'],
    ['a number of an exponent past 2^53', { expected_next_seq: 1e25 }, 'body.expected_next_seq'],
    ['text past 2^64', { expected_next_seq: '18446744073709551616' }, 'body.expected_next_seq'],
    ['text that is no number', { expected_next_seq: '0x1' }, 'body.expected_next_seq'],
    ['null for a position', { expected_next_seq: null }, 'body.expected_next_seq'],
    [
      'an event of too many values',
      { events: [event(1), { type: 'a', payload: { list: Array<number>(100_000).fill(0) } }] },
      'body.events[1].payload',
    ],
    [
      'a whole number that lost digits',
      { events: [{ type: 'a', payload: { list: [1, { n: 2 ** 60 }] } }] },
      'body.events[0].payload.list[1].n',
    ],
  ])('refuses %s with 400 and names it', async (_, members, path) => {
    const { status, body } = await append('refused', members);
    expect([status, body.issues?.[0]?.path]).toEqual([400, path]);
    expect(await read('refused')).toBeUndefined();
  });
});

describe('a position past 2^53 as a JSON number', () => {
  const raw = async (digits: string, after = '') => {
    const body = `{"tenant_id":"default","stream_type":"order","stream_id":"past","expected_next_seq": ${digits} ,"events":[{"type":"a","payload":{"expected_next_seq":1}}]${after}}`;
    const headers = { 'content-type': 'application/json', 'x-svc-scopes': 'admin:write' };
    const response = await fetch(`${daemon.url}/v1/append`, { method: 'POST', headers, body });
    return [response.status, (await response.json()) as Record<string, any>] as const;
  };

  it.each(['9007199254740992', '9007199254740993', '18446744073709551615'])('%s keeps its digits', async (digits) => {
    const [status, body] = await raw(digits);
    expect([status, body.expected_next_seq, body.actual_next_seq]).toEqual([409, digits, 0]);
  });

  it('of which the last counts, however its name is written', async () => {
    const [status, body] = await raw('9007199254740993', ', "expected\\u005fnext_seq":9007199254740995');
    expect([status, body.expected_next_seq]).toEqual([409, '9007199254740995']);
  });

  it.each(['18446744073709551616', '99999999999999999999999', '1e19', '9007199254740993.0', '-9007199254740993'])(
    '%s is none',
    async (digits) => {
      const [status, body] = await raw(digits);
      expect([status, body.issues]).toEqual([
        400,
        [
          {
            path: 'body.expected_next_seq',
            message:
              'expected_next_seq must be a whole number from 0 to 2^64 - 1, as a JSON number of digits alone or as decimal text',
          },
        ],
      ]);
    },
  );
});

describe('POST /v1/admin/append', () => {
  const call = (body: unknown) => daemon.call('POST', '/v1/admin/append', body);
  const body = { tenant_id: 'default', stream_type: 'order', stream_id: 'admin', events: [event(1)] };

  it('answers every valid request that the platform must be upgraded, and appends nothing', async () => {
    const answers = [await call(body), await call({ ...body, tenant_id: 'other', expected_next_seq: 7 })];
    for (const { status, body } of answers)
      expect([status, body.type, body.code]).toEqual([
        501,
        'urn:svc:errors/platform-upgrade-required',
        'PLATFORM_UPGRADE_REQUIRED',
      ]);
    expect(answers[0]?.body.detail).toBe(answers[1]?.body.detail);
    expect(await read('admin')).toBeUndefined();
  });

  it('refuses what is not valid, and what is too large', async () => {
    expect((await call({ ...body, events: [{}] })).status).toBe(400);
    const padded = (bytes: number) => JSON.stringify(body).padEnd(bytes, ' ');
    expect((await call(padded(64 * MIB))).status).toBe(501);
    expect((await call(padded(64 * MIB + 1))).status).toBe(413);
    expect((await send(daemon.url, 'POST', '/v1/admin/append', body)).status).toBe(401);
  });
});
