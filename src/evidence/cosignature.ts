import { noteKeyIdOf, type NoteSignature, parseVerifierKey, type SignedNote, verifierKeyOf } from './signed-note.js';
import type { KeyAtHand } from './signer.js';
import { VerifyingKey } from './signing-key.js';

/** C2SP tlog-cosignature: the signature type of cosignature/v1 with Ed25519. */
const COSIGNATURE_V1 = 0x04;
const TIME_BYTES = 8;
const SIGNATURE_BYTES = 64;
/** 9999-12-31T23:59:59Z, the last second that RFC 3339 writes. */
const LAST_SECOND = 253_402_300_799;

/** A witness: who checks that a log only grows, and signs that it has seen a checkpoint. */
export interface Witness {
  readonly name: string;
  readonly key: VerifyingKey;
}

/**
 * Reads the note verifier key of a witness, `<name>+<key id>+<base64 of 0x04 and the key>`.
 * @throws Error when it is not of that form or its key id does not fit
 */
export function parseWitnessKey(text: string): Witness {
  const { name, keyId, type, publicKey } = parseVerifierKey(text);
  if (type !== COSIGNATURE_V1) throw new Error('not the verifier key of a witness (cosignature/v1, type 0x04)');
  const key = new VerifyingKey(publicKey);
  if (Buffer.compare(keyId, noteKeyIdOf(COSIGNATURE_V1, name, publicKey)) !== 0)
    throw new Error('the key id of the note verifier key does not fit its name and key');
  return { name, key };
}

/** The verifier key that {@link parseWitnessKey} reads. */
export const witnessVerifierKey = ({ name, key }: Witness): string => verifierKeyOf(COSIGNATURE_V1, name, key.bytes);

/**
 * The line of a witness over the text of a checkpoint.
 * @param seconds since 1970: when it saw the checkpoint
 */
export function cosignatureLine(text: string, { name, key }: Witness, signer: KeyAtHand, seconds: number): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(BigInt(seconds));
  const signature = signer.sign(cosignedBytes(text, seconds));
  const keyId = noteKeyIdOf(COSIGNATURE_V1, name, key.bytes);
  return `\u2014 ${name} ${Buffer.concat([keyId, time, signature]).toString('base64')}\n`;
}

/** Whether a line can be a cosignature: its key id does not say of which type it is, its length does. */
export function isCosignature({ signature }: NoteSignature): boolean {
  return signature.length === TIME_BYTES + SIGNATURE_BYTES && timeOf(signature) !== undefined;
}

/** The witness's line and the time that it says, in seconds since 1970; undefined unless there is one that holds. */
export function findCosignature(
  note: SignedNote,
  { name, key }: Witness,
): { line: NoteSignature; seconds: number } | undefined {
  const keyId = noteKeyIdOf(COSIGNATURE_V1, name, key.bytes);
  const line = note.signatures.find((one) => one.name === name && Buffer.compare(one.keyId, keyId) === 0);
  if (!line || !isCosignature(line)) return undefined;
  const seconds = timeOf(line.signature)!;
  const holds = key.verify(cosignedBytes(note.text, seconds), line.signature.subarray(TIME_BYTES));
  return holds ? { line, seconds } : undefined;
}

function timeOf(signature: Uint8Array): number | undefined {
  const time = Number(Buffer.from(signature.subarray(0, TIME_BYTES)).readBigUInt64BE());
  return time <= LAST_SECOND ? time : undefined;
}

const cosignedBytes = (text: string, seconds: number): Uint8Array =>
  Buffer.from(`cosignature/v1\ntime ${String(seconds)}\n${text}`);
