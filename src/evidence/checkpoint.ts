import { decodeExactly } from './base64.js';
import type { TreeHead } from './merkle.js';
import {
  draftNote,
  type NoteDraft,
  noteLine,
  type NoteSignature,
  parseNote,
  type SignedNote,
  verifyNote,
} from './signed-note.js';
import type { VerifyingKey } from './signing-key.js';

/** A C2SP tlog-checkpoint: the head of a log, as the body of a signed note. */
export interface Checkpoint extends TreeHead {
  readonly origin: string;
  readonly note: SignedNote;
}

/** Three lines: origin, size in decimal, root in base64. The key's name in the signature line is the origin. */
export function draftCheckpoint(origin: string, head: TreeHead): NoteDraft {
  const root = Buffer.from(head.root).toString('base64');
  return draftNote(`${origin}\n${String(head.size)}\n${root}\n`, origin);
}

/** Reads a checkpoint without extension lines. Does not verify a signature. @throws Error for another form */
export function parseCheckpoint(text: string): Checkpoint {
  const { checkpoint, extensions } = parseAnyCheckpoint(text);
  if (extensions.length > 0) throw new Error('a checkpoint has the lines origin, size and root');
  return checkpoint;
}

/**
 * Reads a checkpoint of any log: others may add lines, which are not empty. Does not verify a signature.
 * @throws Error for another form
 */
export function parseAnyCheckpoint(text: string): { checkpoint: Checkpoint; extensions: string[] } {
  const note = parseNote(text);
  const [origin = '', sizeText = '', rootText = '', ...extensions] = note.text.slice(0, -1).split('\n');
  const size = Number(sizeText);
  const root = decodeExactly(rootText, 'base64', 32);
  if (origin === '' || extensions.includes('')) throw new Error('a checkpoint has the lines origin, size and root');
  if (!Number.isSafeInteger(size) || size < 0 || String(size) !== sizeText)
    throw new Error('the size of the checkpoint is malformed');
  if (!root) throw new Error('the root of the checkpoint is malformed');
  return { checkpoint: { origin, size, root, note }, extensions };
}

/** The same note with these of its lines alone. */
export const withLines = ({ text }: SignedNote, lines: readonly NoteSignature[]): string =>
  `${text}\n${lines.map(noteLine).join('')}`;

/** Whether the key signed it under the name of its origin. */
export function verifyCheckpoint(checkpoint: Checkpoint, key: VerifyingKey): boolean {
  return verifyNote(checkpoint.note, checkpoint.origin, key);
}

/** The name of a log, whatever number its origin has at the end: a log that begins again takes the next one. */
export const logName = (origin: string): string => origin.replace(/\/\d+$/, '');
