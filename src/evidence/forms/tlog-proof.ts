import { entryBytes, expectLogged, type LoggedRecord, recordTypeOf } from './logged-record.js';

const FIRST_LINE = 'c2sp.org/tlog-proof@v1';

/** By its first line alone. */
export const isTlogProof = (bytes: Uint8Array): boolean =>
  entryBytes(`${FIRST_LINE}\n`).every((byte, n) => bytes[n] === byte);

/**
 * A C2SP tlog-proof (https://c2sp.org/tlog-proof): the record as `extra`, its index, the audit path, the checkpoint.
 * @returns text in UTF-8
 */
export function writeTlogProof({ record, leaf_index, path, checkpoint }: LoggedRecord): Uint8Array {
  const hashes = path.map((digest) => Buffer.from(digest.slice('sha256:'.length), 'hex').toString('base64'));
  const head = [FIRST_LINE, `extra ${Buffer.from(record).toString('base64')}`, `index ${leaf_index}`, ...hashes];
  return Buffer.from(`${head.join('\n')}\n\n${checkpoint}`);
}

/** @throws Error for every text that {@link writeTlogProof} would not have written, and for one that proves nothing */
export function readTlogProof(bytes: Uint8Array): LoggedRecord {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  const end = text.indexOf('\n\n');
  const [, extra = '', index = '', ...hashes] = text.slice(0, end).split('\n');
  const record = Uint8Array.from(Buffer.from(extra.slice('extra '.length), 'base64'));
  const logged: LoggedRecord = {
    type: recordTypeOf(record),
    record,
    leaf_index: Number(index.slice('index '.length)),
    path: hashes.map((hash) => `sha256:${Buffer.from(hash, 'base64').toString('hex')}` as const),
    checkpoint: text.slice(end + 2),
  };
  if (Buffer.compare(writeTlogProof(logged), bytes) !== 0)
    throw new Error('it is not written as tlog-proof asks, with the record as its extra line');
  expectLogged(logged);
  return logged;
}
