import { type CborValue, isCborMap } from '../cbor.js';
import { BLAKE3, checkShape, COUNT, INSTANT, orNull, type Shape, TEXT } from '../shape.js';
import type { OpenItem } from './open-export.js';

const BYTES: Shape = { is: 'a byte string', test: (value) => value instanceof Uint8Array };
const BYTES_16: Shape = { is: '16 bytes', test: (value) => value instanceof Uint8Array && value.length === 16 };
const MAP: Shape = { is: 'a map', test: (value) => isCborMap(value as CborValue) };
const ONE: Shape = { is: '1', test: (value) => value === 1 };
const RECORD = {
  ...{ 'payload.v': ONE, 'payload.kind': TEXT, 'payload.tenant_id': TEXT, 'payload.occurred_at': INSTANT },
  ...{ 'payload.actor': TEXT, 'payload.auth_mode': TEXT, 'payload.body': MAP, ingested_at: INSTANT },
};
const CITED = { answer_id: TEXT, version: COUNT, ordinal: COUNT, chunk_id: TEXT };

/** The item's type of an event of the outbox. */
const OUTBOX_EVENT = 'happening';

/** docs/formats/export.md, "Items". Members that are not listed are not looked at: further ones may come. */
const TYPES: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  receipt: {
    ...RECORD,
    ...{ cose: BYTES, receipt_id: TEXT, payload_hash: BLAKE3, 'payload.stream': TEXT, 'payload.seq': COUNT },
    ...{ 'payload.prev': orNull(BLAKE3), 'payload.subject': TEXT, 'payload.body_hash': BLAKE3 },
  },
  retrieval: { ...RECORD, cbor: BYTES, receipt_id: BLAKE3, 'payload.nonce': BYTES_16 },
  answer: {
    ...{ answer_id: TEXT, version: COUNT, agent_id: TEXT, text: orNull(TEXT), text_hash: orNull(BLAKE3) },
    ...{ recorded_by: TEXT, recorded_at: INSTANT, receipt_id: TEXT },
  },
  citation: {
    ...CITED,
    ...{ corpus_id: TEXT, doc_id: TEXT, doc_version: COUNT, title: orNull(TEXT), url: orNull(TEXT) },
    ...{ content: orNull(TEXT), content_hash: orNull(BLAKE3), start: orNull(COUNT), end: orNull(COUNT) },
    ...{ quote: orNull(TEXT), quote_hash: orNull(BLAKE3), note: orNull(TEXT), note_hash: orNull(BLAKE3) },
  },
  event: {
    ...{
      stream_type: TEXT,
      stream_id: TEXT,
      seq: COUNT,
      event_id: orNull(TEXT),
      type: TEXT,
      occurred_at: orNull(TEXT),
    },
    ...{ recorded_at: INSTANT, salt: BYTES_16, payload_digest: BLAKE3, digest: BLAKE3, receipt_id: TEXT },
  },
  [OUTBOX_EVENT]: { event_id: TEXT, kind: TEXT, subject: TEXT, occurred_at: INSTANT },
  finding: {
    ...CITED,
    ...{ receipt_id: TEXT, record: orNull(TEXT), signature: orNull(TEXT), chain: orNull(TEXT), log: orNull(TEXT) },
    ...{ answer: TEXT, text: TEXT, source: TEXT, drift: [TEXT] },
  },
};

/** Of the receipt of an append to a stream: a receipt with the first of them. */
const APPEND: Readonly<Record<string, Shape>> = {
  'payload.body.events_digest': BLAKE3,
  'payload.body.first_seq': COUNT,
  'payload.body.count': COUNT,
};

/**
 * What is shown of an item has the types of its members, so that no check is passed over for a value of another kind.
 * @throws Error naming the member
 */
export function checkTypes({ index, type, shown }: OpenItem): void {
  if (!Object.hasOwn(TYPES, type)) return;
  const isAppend = type === 'receipt' && shown.at('payload', 'body', 'events_digest') !== undefined;
  for (const [name, shape] of Object.entries({ ...TYPES[type], ...(isAppend ? APPEND : {}) })) {
    const member = shown.at(...name.split('.'));
    if (member !== undefined) checkShape(member.whole(), shape, `item ${index}: ${name}`);
  }
}
