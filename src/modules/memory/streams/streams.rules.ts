import { encodeCanonical } from '../../../evidence/cbor.js';
import { blake3, namedDigest, type Digest } from '../../../evidence/digest.js';
import type { EventCore } from './streams.types.js';

/** BLAKE3 of the salt and the payload's canonical CBOR after it. */
export const payloadDigestOf = (salt: Uint8Array, payload: Uint8Array): Uint8Array =>
  blake3(Buffer.concat([salt, payload]));

/** BLAKE3 of the canonical CBOR of what an event is. */
export const eventDigestOf = (core: EventCore): Uint8Array => blake3(encodeCanonical({ ...core }));

/** BLAKE3 of the events' digests, one after another. */
export const eventsDigestOf = (digests: readonly Uint8Array[]): Digest =>
  namedDigest('blake3', blake3(Buffer.concat(digests)));
