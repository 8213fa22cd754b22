import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { encodeCanonical, type CborMap } from '../../../evidence/cbor.js';
import { findInexactness } from '../../../evidence/exact-json.js';
import { readEach } from '../../../common/fields/read-each.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { AppendEvent, MAX_STREAM_ID_BYTES, type AppendRequest } from './streams.dto.js';

/** An event that was read, before it has a place in the stream. */
export interface PreparedEvent {
  readonly eventId: string | null;
  readonly type: string;
  readonly occurredAt: string | null;
  readonly salt: Buffer;
  /** Canonical CBOR. */
  readonly payload: Uint8Array;
}

/**
 * JSON values of one event, objects and lists included: what its encoding takes in memory for a moment is bounded by
 * it.
 */
const MAX_VALUES = 100_000;

/** After so many bytes of payload other requests get their turn. */
const TURN_BYTES = 1024 * 1024;

/** @throws ValidationFailed for a stream_id that is too long for an index, whatever its characters */
export function checkStreamId({ stream_id }: AppendRequest): void {
  if (Buffer.byteLength(stream_id) > MAX_STREAM_ID_BYTES)
    throw invalid('body.stream_id', `must not be longer than ${MAX_STREAM_ID_BYTES} bytes in UTF-8`);
}

/**
 * Reads the events of a request, letting others in between.
 * @throws ValidationFailed naming the event and what is wrong with it
 */
export async function prepareEvents({ events }: AppendRequest): Promise<PreparedEvent[]> {
  const prepared: PreparedEvent[] = [];
  const places = new Map<string, number>();
  let bytes = 0;
  for await (const { item, index, path } of readEach(AppendEvent, events, 'body.events')) {
    const one = prepare(item, path);
    const earlier = one.eventId === null ? undefined : places.get(one.eventId);
    if (earlier !== undefined)
      throw invalid(`${path}.event_id`, `is that of body.events[${earlier}] too; give each event its own`);
    if (one.eventId !== null) places.set(one.eventId, index);
    prepared.push(one);
    bytes += one.payload.length;
    if (bytes < TURN_BYTES) continue;
    bytes = 0;
    await nextTurn();
  }
  return prepared;
}

const prepare = ({ type, payload, occurred_at, event_id }: AppendEvent, path: string): PreparedEvent => ({
  eventId: event_id ?? null,
  type,
  occurredAt: occurred_at === undefined ? null : new Date(occurred_at).toISOString(),
  salt: randomBytes(16),
  payload: encodePayload(payload, `${path}.payload`),
});

function encodePayload(payload: Record<string, unknown>, path: string): Uint8Array {
  const fault = findInexactness(payload, MAX_VALUES);
  if (fault) throw invalid(`${path}${fault.path}`, fault.message);
  return encodeCanonical(payload as CborMap);
}
