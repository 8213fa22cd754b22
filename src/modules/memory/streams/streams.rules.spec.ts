import { createBLAKE3 } from 'hash-wasm';
import { describe, expect, it } from 'vitest';
import { eventDigestOf, eventsDigestOf, payloadDigestOf } from './streams.rules.js';
import type { EventCore } from './streams.types.js';

const hasher = await createBLAKE3();
const blake3 = (...parts: Uint8Array[]) => hasher.init().update(Buffer.concat(parts)).digest('hex');
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

const SALT = Buffer.alloc(16, 1);
const CORE: EventCore = {
  ...{ v: 1, tenant_id: 'acme', stream_type: 'order', stream_id: 'o-17', seq: 300, event_id: null },
  ...{ type: 'paid', occurred_at: null, payload_digest: `blake3:${'0'.repeat(64)}` },
};

/** The same by hand: a map of nine, its names in the order of their encodings (RFC 8949, 4.2.1), shorter ones first. */
const text = (value: string) =>
  Buffer.concat([
    value.length < 24 ? Buffer.of(0x60 + value.length) : Buffer.of(0x78, value.length),
    Buffer.from(value),
  ]);
const NULL = Buffer.of(0xf6);
const ENCODED = Buffer.concat([
  Buffer.of(0xa9),
  ...[text('v'), Buffer.of(1), text('seq'), Buffer.of(0x19, 0x01, 0x2c), text('type'), text('paid')],
  ...[text('event_id'), NULL, text('stream_id'), text('o-17'), text('tenant_id'), text('acme')],
  ...[text('occurred_at'), NULL, text('stream_type'), text('order')],
  ...[text('payload_digest'), text(`blake3:${'0'.repeat(64)}`)],
]);

describe('the digest of an event', () => {
  it('is over the canonical CBOR of exactly its members', () => {
    expect(hexOf(eventDigestOf(CORE))).toBe(blake3(ENCODED));
    const turned = Object.fromEntries(Object.entries(CORE).reverse()) as unknown as EventCore;
    expect(hexOf(eventDigestOf(turned))).toBe(blake3(ENCODED));
  });

  it('is another one when any member is another', () => {
    const others: Partial<EventCore>[] = [
      {},
      { tenant_id: 'other' },
      { stream_type: 'o' },
      { stream_id: 'o-18' },
      { seq: 0 },
      { event_id: '' },
      { type: 'sent' },
      { occurred_at: '2026-11-20T10:00:00.000Z' },
      { payload_digest: `blake3:${'1'.repeat(64)}` },
    ];
    expect(new Set(others.map((members) => hexOf(eventDigestOf({ ...CORE, ...members })))).size).toBe(others.length);
  });
});

it('the digest of a payload is over its salt and its bytes after it', () => {
  const payload = Buffer.from('a16161' + '01', 'hex');
  expect(hexOf(payloadDigestOf(SALT, payload))).toBe(blake3(SALT, payload));
  expect(hexOf(payloadDigestOf(Buffer.alloc(16, 2), payload))).not.toBe(blake3(SALT, payload));
});

describe('the digest of events', () => {
  it('is over their digests, one after another', () => {
    const [a, b] = [eventDigestOf(CORE), eventDigestOf({ ...CORE, seq: 301 })];
    expect(eventsDigestOf([a, b])).toBe(`blake3:${blake3(a, b)}`);
    expect(eventsDigestOf([a])).toBe(`blake3:${blake3(a)}`);
    expect(eventsDigestOf([b, a])).not.toBe(eventsDigestOf([a, b]));
  });

  it('of none is the digest of nothing', () => {
    expect(eventsDigestOf([])).toBe('blake3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262');
  });
});
