import { type Checkpoint, parseCheckpoint } from '../checkpoint.js';
import { COSE_SIGN1 } from '../cose.js';
import { blake3Digest, digestBytes } from '../digest.js';
import { logEntry, logLeafHash, type RecordType } from '../log-entry.js';
import { rootOfInclusion, verifyInclusion } from '../merkle.js';
import type { LogPosition } from '../pack-format.js';

/** A record and its place in the log: what each standard form is made of. docs/formats/standard-forms.md. */
export interface LoggedRecord extends LogPosition {
  readonly type: RecordType;
  /** As the log has it: the COSE_Sign1 message of an execution receipt, the CBOR of a retrieval receipt. */
  readonly record: Uint8Array;
  /** The signed note whose root the path leads to. */
  readonly checkpoint: string;
}

/** The text of the leaf that the log has of a record: ASCII, `svc-log-entry-v1:<type>:blake3:<hex>`. */
export const entryOf = ({ type, record }: Pick<LoggedRecord, 'type' | 'record'>): string =>
  Buffer.from(logEntry(type, blake3Digest(record))).toString('ascii');

export const entryBytes = (entry: string): Uint8Array => Buffer.from(entry, 'ascii');

/** An execution receipt begins with the tag of COSE_Sign1, a retrieval receipt is a CBOR map. */
export const recordTypeOf = (record: Uint8Array): RecordType => (record[0] === COSE_SIGN1 ? 'execution' : 'retrieval');

/** @throws Error where the entry is none of this log's */
export function readEntry(entry: string): { type: RecordType; digest: Uint8Array } {
  const match = /^svc-log-entry-v1:(execution|retrieval):(blake3:[0-9a-f]{64})$/.exec(entry);
  if (!match) throw new Error('it names no entry of the log');
  return { type: match[1] as RecordType, digest: digestBytes('blake3', match[2]!) };
}

/** The 32 bytes of each step of an audit path. @throws Error for what is no `sha256:<hex>` */
export const hashesOf = (path: readonly string[]): Uint8Array[] => path.map((digest) => digestBytes('sha256', digest));

/** The root that the path leads to. @throws Error where it leads to none */
export function rootOf(entry: string, place: { index: number; size: number; path: readonly Uint8Array[] }): Uint8Array {
  const { type, digest } = readEntry(entry);
  const root = rootOfInclusion(logLeafHash(type, digest), place.index, place.size, place.path);
  if (root === undefined) throw new Error('the inclusion proof does not fit the size of the log');
  return root;
}

/** @throws Error where the record is not in the log of its checkpoint */
export function expectLogged({ type, record, leaf_index, path, checkpoint }: LoggedRecord): Checkpoint {
  const head = parseCheckpoint(checkpoint);
  const { digest } = readEntry(entryOf({ type, record }));
  if (!verifyInclusion(logLeafHash(type, digest), leaf_index, head.size, hashesOf(path), head.root))
    throw new Error('the inclusion proof does not lead to the checkpoint');
  return head;
}
