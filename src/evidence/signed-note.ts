import { decodeExactly } from './base64.js';
import { sha256 } from './sha256.js';
import { VerifyingKey } from './signing-key.js';

/** C2SP signed-note with Ed25519 signatures (signature type 0x01). */
const ED25519 = 0x01;
const MAX_SIGNATURES = 64;

/** One signature line. */
export interface NoteSignature {
  readonly name: string;
  /** The first four bytes of the decoded signature. */
  readonly keyId: Uint8Array;
  readonly signature: Uint8Array;
}
/** A note that was read; that its signatures hold is not said. */
export interface SignedNote {
  /** With its final newline, without the separating blank line. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** The line that {@link parseNote} reads. */
export const noteLine = ({ name, keyId, signature }: NoteSignature): string =>
  `\u2014 ${name} ${Buffer.concat([keyId, signature]).toString('base64')}\n`;

/** SHA-256(name || 0x0A || 0x01 || public key), first four bytes. */
export const noteKeyId = (name: string, publicKey: Uint8Array): Uint8Array => noteKeyIdOf(ED25519, name, publicKey);

/** The same for a key of any signature type. */
export const noteKeyIdOf = (type: number, name: string, publicKey: Uint8Array): Uint8Array =>
  sha256(Buffer.from(`${name}\n`), Uint8Array.of(type), publicKey).subarray(0, 4);

/** The note verifier key that C2SP tools take: `<name>+<8 hex digits of the key id>+base64(0x01 || public key)`. */
export const noteVerifierKey = (name: string, publicKey: Uint8Array): string => verifierKeyOf(ED25519, name, publicKey);

/** The same for a key of any signature type. */
export function verifierKeyOf(type: number, name: string, publicKey: Uint8Array): string {
  const id = Buffer.from(noteKeyIdOf(type, name, publicKey)).toString('hex');
  return `${name}+${id}+${Buffer.concat([Uint8Array.of(type), publicKey]).toString('base64')}`;
}

/** @throws when the text is not an Ed25519 verifier key or its key id does not fit. */
export function parseNoteVerifierKey(text: string): { name: string; key: VerifyingKey } {
  const { name, keyId, type, publicKey } = parseVerifierKey(text);
  if (type !== ED25519) throw new Error('not an Ed25519 note verifier key');
  const key = new VerifyingKey(publicKey);
  if (Buffer.compare(keyId, noteKeyId(name, publicKey)) !== 0)
    throw new Error('the key id of the note verifier key does not fit its name and key');
  return { name, key };
}

/** The parts of a verifier key with 32 bytes of key. @throws when the text has another form */
export function parseVerifierKey(text: string): {
  name: string;
  keyId: Uint8Array;
  type: number;
  publicKey: Uint8Array;
} {
  const match = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text.trim());
  const bytes = decodeExactly(match?.[3], 'base64', 33);
  if (!match?.[1] || !isKeyName(match[1]) || !bytes) throw new Error('not a note verifier key of 32 bytes');
  const publicKey = Uint8Array.from(bytes.subarray(1));
  return { name: match[1], keyId: Buffer.from(match[2]!, 'hex'), type: bytes[0]!, publicKey };
}

/** A note that several keys sign: each of them the same bytes. */
export interface NoteDraft {
  readonly toBeSigned: Uint8Array;
  /** With one signature line for each of the keys, in their order. */
  with(signatures: readonly (readonly [VerifyingKey, Uint8Array])[]): string;
}

/**
 * A note but for its signatures.
 * @param text with its final newline
 * @param name of all its keys
 * @throws Error for a name that no key can have
 */
export function draftNote(text: string, name: string): NoteDraft {
  if (!isKeyName(name)) throw new Error(`${JSON.stringify(name)} cannot be a key name: it holds a space or a plus`);
  const lineOf = ([key, signature]: readonly [VerifyingKey, Uint8Array]): string =>
    `\u2014 ${name} ${Buffer.concat([noteKeyId(name, key.bytes), signature]).toString('base64')}\n`;
  return { toBeSigned: Buffer.from(text), with: (signatures) => `${text}\n${signatures.map(lineOf).join('')}` };
}

/** @throws when the bytes are no signed note: control characters, no signature line, a malformed one. */
export function parseNote(note: string): SignedNote {
  if (/[\u0000-\u0009\u000b-\u001f]/.test(note)) throw new Error('a note must not hold control characters');
  const split = note.lastIndexOf('\n\n');
  if (split < 0 || !note.endsWith('\n')) throw new Error('a note is text, a blank line and signature lines');
  const lines = note.slice(split + 2, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) throw new Error('the note has too many signatures');
  return { text: note.slice(0, split + 1), signatures: lines.map(parseSignatureLine) };
}

/**
 * True when the key, under that name, signed the note. Signatures by unknown keys are ignored, as the format asks; a
 * wrong signature by this very key makes the note false even when another one of it holds.
 */
export function verifyNote(note: SignedNote, name: string, key: VerifyingKey): boolean {
  const keyId = noteKeyId(name, key.bytes);
  const own = note.signatures.filter((line) => line.name === name && Buffer.compare(line.keyId, keyId) === 0);
  return own.length > 0 && own.every((line) => key.verify(Buffer.from(note.text), line.signature));
}

function parseSignatureLine(line: string): NoteSignature {
  const match = /^\u2014 (\S+) ([A-Za-z0-9+/]+={0,2})$/u.exec(line);
  const bytes = decodeExactly(match?.[2], 'base64');
  if (!match?.[1] || !isKeyName(match[1]) || !bytes || bytes.length < 5) {
    throw new Error('a signature line is malformed');
  }
  return { name: match[1], keyId: bytes.subarray(0, 4), signature: bytes.subarray(4) };
}

/**
 * U+FEFF is no white space of Unicode, but of many readers: a name with it looks like the one without. No note may hold
 * a control character.
 */
export function isKeyName(name: string): boolean {
  return name.length > 0 && !/[\p{White_Space}\uFEFF\u0000-\u001f+]/u.test(name);
}
