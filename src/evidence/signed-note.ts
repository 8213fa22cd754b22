import { sha256 } from './sha256.js';
import { type SigningKey, VerifyingKey } from './signing-key.js';

/** C2SP signed-note with Ed25519 signatures (signature type 0x01). */
const ED25519 = 0x01;
const MAX_SIGNATURES = 64;

interface NoteSignature {
  readonly name: string;
  /** The first four bytes of the decoded signature. */
  readonly keyId: Uint8Array;
  readonly signature: Uint8Array;
}
export interface SignedNote {
  /** With its final newline, without the separating blank line. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** SHA-256(name || 0x0A || 0x01 || public key), first four bytes. */
export function noteKeyId(name: string, publicKey: Uint8Array): Uint8Array {
  return sha256(Buffer.from(`${name}\n`), Uint8Array.of(ED25519), publicKey).subarray(0, 4);
}

/** The note verifier key that C2SP tools take: `<name>+<8 hex digits of the key id>+base64(0x01 || public key)`. */
export function noteVerifierKey(name: string, publicKey: Uint8Array): string {
  const id = Buffer.from(noteKeyId(name, publicKey)).toString('hex');
  return `${name}+${id}+${Buffer.concat([Uint8Array.of(ED25519), publicKey]).toString('base64')}`;
}

/** @throws when the text is not an Ed25519 verifier key or its key id does not fit. */
export function parseNoteVerifierKey(text: string): { name: string; key: VerifyingKey } {
  const match = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text.trim());
  const bytes = Buffer.from(match?.[3] ?? '', 'base64');
  if (!match?.[1] || bytes.length !== 33 || bytes[0] !== ED25519) throw new Error('not an Ed25519 note verifier key');
  const key = new VerifyingKey(Uint8Array.from(bytes.subarray(1)));
  if (Buffer.from(noteKeyId(match[1], key.bytes)).toString('hex') !== match[2]) {
    throw new Error('the key id of the note verifier key does not fit its name and key');
  }
  return { name: match[1], key };
}

export function signNote(text: string, name: string, key: SigningKey): string {
  if (!isKeyName(name)) throw new Error(`${JSON.stringify(name)} cannot be a key name: it holds a space or a plus`);
  const signature = Buffer.concat([noteKeyId(name, key.publicKey.bytes), key.sign(Buffer.from(text))]);
  return `${text}\n\u2014 ${name} ${signature.toString('base64')}\n`;
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
  const bytes = Buffer.from(match?.[2] ?? '', 'base64');
  if (!match?.[1] || !isKeyName(match[1]) || bytes.length < 5 || bytes.toString('base64') !== match[2]) {
    throw new Error('a signature line is malformed');
  }
  return { name: match[1], keyId: bytes.subarray(0, 4), signature: bytes.subarray(4) };
}

function isKeyName(name: string): boolean {
  return name.length > 0 && !/[\p{White_Space}+]/u.test(name);
}
