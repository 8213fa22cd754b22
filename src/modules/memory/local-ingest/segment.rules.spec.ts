import { decode, decodeFirst } from 'cborg';
import { describe, expect, it } from 'vitest';
import type { CborMap } from '../../../evidence/cbor.js';
import { blake3, blake3Digest } from '../../../evidence/digest.js';
import { signReceipt } from '../../../evidence/receipt.js';
import { SigningKey } from '../../../evidence/signing-key.js';
import { encodeSegment, isIntact, type SegmentFrame, type SegmentHeader } from './segment.rules.js';

const HEADER: SegmentHeader = {
  ...{ tenant_id: 'acme', corpus_id: 'handbook', segment_seq: 7, semantic_profile: 'default' },
  sealed_at: '2026-11-20T10:00:00.000Z',
};
const frame = (doc_id: string, members: Partial<SegmentFrame> = {}): SegmentFrame => ({
  ...{ doc_id, version: 1, title: doc_id, url: null, content_type: null, text: doc_id },
  content_hash: blake3Digest(doc_id),
  ...members,
});

/** The items of a CBOR sequence. */
function itemsOf(bytes: Uint8Array): unknown[] {
  const items: unknown[] = [];
  for (let rest = bytes; rest.length > 0;) {
    const [item, after] = decodeFirst(rest) as [unknown, Uint8Array];
    items.push(item);
    rest = after;
  }
  return items;
}

describe('a segment', () => {
  it('is its header and its frames in the order in which they were sent, numbered', () => {
    const frames = [frame('b', { url: 'https://a.b/', content_type: 'text/html', version: 3 }), frame('a')];
    expect(itemsOf(encodeSegment(HEADER, frames))).toEqual([
      { v: 1, ...HEADER, frame_count: 2 },
      { ordinal: 0, ...frames[0] },
      { ordinal: 1, ...frames[1] },
    ]);
    expect(decode(encodeSegment(HEADER, []))).toEqual({ v: 1, ...HEADER, frame_count: 0 });
  });

  it('has the same bytes for the same content, in whatever order its members stand', () => {
    const turned = <T extends object>(one: T) => Object.fromEntries(Object.entries(one).reverse()) as T;
    const bytes = encodeSegment(HEADER, [frame('a')]);
    expect(encodeSegment(turned(HEADER), [turned(frame('a'))])).toEqual(bytes);
    for (const other of [frame('b'), frame('a', { version: 2 }), frame('a', { url: '' })])
      expect(encodeSegment(HEADER, [other])).not.toEqual(bytes);
  });

  it('begins with its canonical header', () => {
    const hex = Buffer.from(encodeSegment({ ...HEADER, tenant_id: 't' }, [])).toString('hex');
    const text = (value: string) => (0x60 + value.length).toString(16) + Buffer.from(value).toString('hex');
    expect(hex.startsWith(`a7${text('v')}01${text('corpus_id')}${text('handbook')}${text('sealed_at')}7818`)).toBe(
      true,
    );
  });
});

const key = SigningKey.generate();
const receiptOf = (body: CborMap) =>
  Buffer.from(
    signReceipt(
      {
        ...{ kind: 'local.ingested', tenant_id: 'acme', stream: 'local-ingest', seq: 1, prev: null },
        ...{
          occurred_at: HEADER.sealed_at,
          actor: 'passport:alice',
          auth_mode: 'jwt_hs256',
          subject: 'segment:7',
          body,
        },
      },
      key,
    ).cose,
  );

describe('a kept segment', () => {
  const frames = Buffer.from(encodeSegment(HEADER, [frame('a'), frame('b')]));
  const digest = Buffer.from(blake3(frames));
  const receipt = receiptOf({ segment_seq: 7, segment_digest: blake3Digest(frames) });

  it('is intact when bytes, digest and receipt agree', () => {
    expect(isIntact({ frames, digest, receipt })).toBe(true);
  });

  it('is not with any bit changed', () => {
    for (let i = 0; i < frames.length; i++) {
      const changed = Buffer.from(frames);
      changed[i]! ^= 1 << (i % 8);
      expect([i, isIntact({ frames: changed, digest, receipt })]).toEqual([i, false]);
    }
    expect(isIntact({ frames: frames.subarray(1), digest, receipt })).toBe(false);
    expect(isIntact({ frames, digest: digest.subarray(0, 31), receipt })).toBe(false);
  });

  it('is not with bytes and digest changed together: the receipt says another', () => {
    const others = Buffer.from(encodeSegment(HEADER, [frame('a')]));
    expect(isIntact({ frames: others, digest: Buffer.from(blake3(others)), receipt })).toBe(false);
  });

  it.each<[string, Buffer | null]>([
    ['gone', null],
    ['rubbish', Buffer.from('rubbish')],
    ['empty', Buffer.alloc(0)],
    ['cut', receipt.subarray(0, -1)],
    ['of another segment', receiptOf({ segment_digest: blake3Digest('other') })],
    ['without a digest', receiptOf({ segment_seq: 7 })],
    ['with a digest that is bytes', receiptOf({ segment_digest: digest })],
  ])('is not while its receipt is %s', (_what, other) => {
    expect(isIntact({ frames, digest, receipt: other })).toBe(false);
  });
});
