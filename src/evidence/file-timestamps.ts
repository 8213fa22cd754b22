import type { X509Certificate } from 'node:crypto';
import { base64 } from './base64.js';
import { type Checkpoint, parseCheckpoint } from './checkpoint.js';
import { draftCose, parseCose, verifyCose } from './cose.js';
import type { FileKeys } from './file-keys.js';
import { sha256 } from './sha256.js';
import { BASE64, COUNT, type Shape } from './shape.js';
import { type Draft, type KeyName, type Signer, signDrafts } from './signer.js';
import { expectAuthority, openToken } from './timestamp-token.js';

/** A timestamp of RFC 3161 over a checkpoint of the file, as packs and exports carry it. */
export interface FileTimestamp {
  /** COSE_Sign1, base64, detached payload: the token. No byte of a token can change unseen. */
  readonly seal: string;
  /** Of the checkpoint that it is over. */
  readonly size: number;
  /** TimeStampToken in DER, base64. */
  readonly token: string;
}

export const TIMESTAMPS: Shape = [{ members: { seal: BASE64, size: COUNT, token: BASE64 } }];
const CONTENT_TYPE = 'application/vnd.svc.timestamp-token';

/** What a file carries, and what is known of it when its timestamps are looked at. */
export interface Stamped {
  readonly timestamps: readonly FileTimestamp[];
  /** The file's checkpoint and the earlier ones, whose signatures and consistency were checked. */
  readonly checkpoints: readonly string[];
  readonly keys: FileKeys;
  /** The leaves of the records of the file. */
  readonly leaves: readonly number[];
}

/**
 * A timestamp of a file but for its seal.
 * @param size of the checkpoint that the token is over
 * @param token in DER
 */
export function draftTimestamp(key: Pick<KeyName, 'kid'>, size: number, token: Uint8Array): Draft<FileTimestamp> {
  const { toBeSigned, with: signed } = draftCose(key, CONTENT_TYPE, token, true);
  return {
    toBeSigned,
    with: (signature) => ({ seal: base64(signed(signature)), size, token: base64(token) }),
  };
}

/** Their seals, by the key that signs packs and exports. */
export const signTimestamps = (
  signer: Signer,
  stamps: readonly { size: number; token: Uint8Array }[],
): Promise<FileTimestamp[]> =>
  signDrafts(
    stamps.map(({ size, token }) => draftTimestamp(signer, size, token)),
    signer,
    'exports',
  );

/** What is stamped: the note as its log signed it, without lines of witnesses. */
export function stampedText({ origin, note }: Checkpoint, text: string): string {
  const lines = text.slice(note.text.length + 1).split(/(?<=\n)/);
  return `${note.text}\n${lines.filter((line) => line.startsWith(`\u2014 ${origin} `)).join('')}`;
}

/**
 * The step `timestamps`. docs/formats/timestamps.md.
 * @param authorities certificates of which one must lead to each token; without them whose it is stays open
 * @throws Error
 */
export function checkTimestamps(stamped: Stamped, authorities?: readonly X509Certificate[]): string {
  if (stamped.timestamps.length === 0) {
    if (authorities) throw new Error('the file carries no timestamp');
    return 'none';
  }
  const said = stamped.timestamps.map((one) => judge(one, stamped, authorities));
  const pinned = authorities ? 'the authority is known' : 'the authority is NOT PINNED: give its root by --tsa-ca';
  return `${said.join('; ')}; ${pinned}`;
}

function judge(stamp: FileTimestamp, stamped: Stamped, authorities?: readonly X509Certificate[]): string {
  const { checkpoints, keys, leaves } = stamped;
  const token = Buffer.from(stamp.token, 'base64');
  expectSealed(stamp, token, keys);
  const opened = openToken(token);
  const head = parseCheckpoint(checkpoints[0]!);
  const isOver = (text: string): boolean => {
    const checkpoint = parseCheckpoint(text);
    if (checkpoint.origin !== head.origin || checkpoint.size !== stamp.size) return false;
    return Buffer.compare(sha256(Buffer.from(stampedText(checkpoint, text))), opened.imprint) === 0;
  };
  if (!checkpoints.some(isOver))
    throw new Error(`the timestamp is over no checkpoint of ${stamp.size} leaves of the file's log`);
  if (authorities) expectAuthority(opened, authorities);
  const covered = leaves.filter((leaf) => leaf < stamp.size).length;
  return `${covered} of ${leaves.length} records were in the log at ${opened.time.toISOString()}, says ${opened.authority}`;
}

function expectSealed({ seal }: FileTimestamp, token: Uint8Array, keys: FileKeys): void {
  const message = parseCose(Buffer.from(seal, 'base64'));
  const known = keys.get(message.kid);
  if (message.contentType !== CONTENT_TYPE || message.payload !== null)
    throw new Error('the seal is not that of a timestamp');
  if (!known?.terms.has('exports')) throw new Error(`the key ${message.kid} of the seal does not sign exports here`);
  if (!verifyCose(message, known.key, token)) throw new Error('the seal does not hold: the token was changed');
}
