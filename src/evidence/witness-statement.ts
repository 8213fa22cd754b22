import { logName } from './checkpoint.js';
import { parseWitnessKey, type Witness } from './cosignature.js';
import { draftNote, type NoteDraft, parseNote, verifyNote } from './signed-note.js';
import type { VerifyingKey } from './signing-key.js';

/** No checkpoint begins so: the second line of one is a number. */
const HEADER = 'svc-witness-key/v1';

/**
 * The note by which the keys of a log name the key that its server cosigns other logs with: the header, and the
 * verifier key of the witness. docs/formats/transparency-log.md, "Peers".
 */
export const draftWitnessStatement = (origin: string, verifierKey: string): NoteDraft =>
  draftNote(`${HEADER}\n${verifierKey}\n`, origin);

/** A statement that was read, and holds. */
export interface WitnessStatement {
  readonly witness: Witness;
  readonly verifierKey: string;
  /** Of the log whose key signed it, and of whose epoch the key is. */
  readonly origin: string;
}

/** @param keys of the log @throws Error when it is none, or none of them signed it */
export function openWitnessStatement(text: string, keys: readonly VerifyingKey[]): WitnessStatement {
  const note = parseNote(text);
  const [header, verifierKey = '', ...rest] = note.text.slice(0, -1).split('\n');
  if (header !== HEADER || rest.length > 0)
    throw new Error(`the note must have the lines ${HEADER} and a verifier key`);
  const witness = parseWitnessKey(verifierKey);
  const origin = note.signatures[0]!.name;
  if (!keys.some((key) => verifyNote(note, origin, key)))
    throw new Error('no key of the log signed the note that names the witness key');
  return { witness, verifierKey, origin };
}

/** The name of the witness that a server is in an epoch of its log. */
export const witnessName = (origin: string): string => `${origin}/witness`;

/** Whether a statement is by a log of that name. */
export const isOfLog = ({ origin }: WitnessStatement, name: string): boolean =>
  origin === name || logName(origin) === name;
