import { type Checkpoint, parseCheckpoint } from './checkpoint.js';
import { isCosignature } from './cosignature.js';
import { noteKeyId } from './signed-note.js';
import type { VerifyingKey } from './signing-key.js';

/**
 * The checkpoint that a pack or an export carries. Each signature line is one of the log, by a key of the file, and
 * holds; or the cosignature of a witness, which the file's keys do not vouch for. No key has two lines, and at least
 * one line is the log's. docs/formats/transparency-log.md, "In packs and exports".
 * @throws Error
 */
export function openFileCheckpoint(text: string, keys: Iterable<VerifyingKey>): Checkpoint {
  const checkpoint = parseCheckpoint(text);
  const { origin, note } = checkpoint;
  const known = new Map([...keys].map((key) => [hex(noteKeyId(origin, key.bytes)), key]));
  const own = note.signatures.filter(({ name }) => name === origin);
  const others = note.signatures.filter(({ name }) => name !== origin);
  const signers = new Set(note.signatures.map(({ name, keyId }) => `${hex(keyId)} ${name}`));
  const body = Buffer.from(note.text);
  if (own.length === 0) throw new Error('no signature of the checkpoint is by its log');
  if (signers.size !== note.signatures.length) throw new Error('a key has two signatures under the checkpoint');
  if (!own.every((line) => known.get(hex(line.keyId))?.verify(body, line.signature)))
    throw new Error('a signature of the checkpoint does not hold under a key of the file');
  if (!others.every(isCosignature))
    throw new Error('a line under the checkpoint is neither of its log nor of a witness');
  return checkpoint;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
