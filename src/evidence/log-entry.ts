import { type Digest, digestBytes, namedDigest } from './digest.js';
import { leafHash } from './merkle.js';

/** What a leaf of the log stands for. */
export type RecordType = 'execution' | 'retrieval';

/**
 * The bytes of a log entry: ASCII `svc-log-entry-v1:<record type>:blake3:<64 hex>`, no newline. The digest is over the
 * record as shown: the COSE_Sign1 message of an execution receipt, the CBOR of a retrieval receipt. The signature and
 * the nonce in them make the digest unguessable, so the public log shows nobody what a tenant did.
 */
export function logEntry(type: RecordType, recordDigest: Digest): Uint8Array {
  digestBytes('blake3', recordDigest);
  return Buffer.from(`svc-log-entry-v1:${type}:${recordDigest}`, 'ascii');
}

/** The RFC 6962 leaf hash of {@link logEntry}. */
export function logLeafHash(type: RecordType, recordDigest: Uint8Array): Uint8Array {
  return leafHash(logEntry(type, namedDigest('blake3', recordDigest)));
}

/** A tlog-tiles entry bundle: each entry after its length as a big-endian uint16. */
export function entryBundle(entries: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(
    entries.flatMap((entry) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(entry.length);
      return [length, entry];
    }),
  );
}
