import { describe, expect, it } from 'vitest';
import { decodeCanonical } from '../../../evidence/cbor.js';
import { checkStreamId, prepareEvents } from './append.rules.js';

const request = (...events: object[]) => ({ tenant_id: 't', stream_type: 'order', stream_id: 'o-17', events });
const event = (members: object = {}) => ({ type: 'order.paid', payload: { cents: 4200 }, ...members });
const refusal = (...events: object[]) =>
  prepareEvents(request(...events)).then(
    () => 'none',
    (error: Error) => error.message,
  );

describe('the id of a stream', () => {
  it('has at most 1,024 bytes, whatever its characters', () => {
    const check = (stream_id: string) => () => checkStreamId({ ...request(), stream_id });
    for (const id of ['x'.repeat(1024), 'é'.repeat(512), '🦄'.repeat(256)]) expect(check(id)).not.toThrow();
    for (const id of ['x'.repeat(1025), 'é'.repeat(513), `${'🦄'.repeat(256)}x`])
      expect(check(id)).toThrow('body.stream_id: must not be longer than 1024 bytes in UTF-8');
  });
});

describe('the events of an append', () => {
  it('are read in their order, with their payloads as canonical CBOR', async () => {
    const prepared = await prepareEvents(
      request(event({ event_id: 'a', payload: { b: 1, a: [2.5] } }), event({ type: 'order.sent', payload: {} })),
    );
    expect(prepared).toMatchObject([
      { eventId: 'a', type: 'order.paid', occurredAt: null },
      { eventId: null, type: 'order.sent', occurredAt: null },
    ]);
    expect(Buffer.from(prepared[0]!.payload).toString('hex')).toBe('a2616181f941006162' + '01');
    expect(decodeCanonical(prepared[1]!.payload)).toEqual({});
  });

  it.each([
    ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T11:30:00.1239+01:30', '2026-11-20T10:00:00.123Z'],
  ])('that happened at %s are kept as %s', async (occurred_at, kept) => {
    expect((await prepareEvents(request(event({ occurred_at }))))[0]!.occurredAt).toBe(kept);
  });

  it('have 16 bytes of salt, each its own', async () => {
    const prepared = await prepareEvents(request(...Array.from({ length: 50 }, () => event())));
    expect(prepared.every(({ salt }) => salt.length === 16)).toBe(true);
    expect(new Set(prepared.map(({ salt }) => salt.toString('hex'))).size).toBe(50);
  });

  it.each<[string, object, string]>([
    ['without a type', event({ type: undefined }), 'body.events[1].type: is required'],
    ['without a payload', event({ payload: undefined }), 'body.events[1].payload: is required'],
    ['with an unknown member', event({ seq: 1 }), 'body.events[1].seq: '],
    ['that is a list', [], 'body.events[1]: must be a JSON object'],
    [
      'with a number that lost digits',
      event({ payload: { list: [0, { n: 2 ** 53 }] } }),
      'body.events[1].payload.list[1].n: is a whole number past 2^53 - 1, which lost digits; send it as text',
    ],
  ])('%s are refused by their member', async (_what, second, message) => {
    expect((await refusal(event(), second, {})).slice(0, message.length)).toBe(message);
  });

  it('hold up to 100,000 values each, lists and objects counted', async () => {
    const sized = (count: number) => event({ payload: { list: Array<null>(count - 2).fill(null) } });
    expect(await refusal(sized(100_000), sized(100_000))).toBe('none');
    expect(await refusal(sized(100_001))).toBe('body.events[0].payload: holds more than 100000 values; divide it');
  });

  it('have event ids of their own, where they have any', async () => {
    expect(await refusal(event(), event(), event({ event_id: 'a' }), event({ event_id: 'A' }))).toBe('none');
    expect(await refusal(event({ event_id: 'b' }), event({ event_id: 'a' }), event(), event({ event_id: 'a' }))).toBe(
      'body.events[3].event_id: is that of body.events[1] too; give each event its own',
    );
  });

  it('let other work in between where they are large', async () => {
    let turns = 0;
    let done = false;
    const count = () => {
      turns += 1;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    await prepareEvents(request(...Array.from({ length: 4 }, () => event({ payload: { x: 'x'.repeat(2 ** 20) } }))));
    done = true;
    expect(turns).toBeGreaterThanOrEqual(4);
  });
});
