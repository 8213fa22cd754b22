import { draftCheckpoint } from '../../src/evidence/checkpoint.js';
import { draftCose } from '../../src/evidence/cose.js';
import { draftCoseReceipt } from '../../src/evidence/forms/cose-receipt.js';
import type { LoggedRecord } from '../../src/evidence/forms/logged-record.js';
import { draftStatement } from '../../src/evidence/forms/signed-statement.js';
import { draftReceiptBundle } from '../../src/evidence/forms/sigstore-bundle.js';
import { draftEpoch } from '../../src/evidence/log-epoch.js';
import type { TreeHead } from '../../src/evidence/merkle.js';
import { draftPack } from '../../src/evidence/pack.js';
import type { SignedReceipt } from '../../src/evidence/receipt.js';
import { draftNote, type NoteDraft } from '../../src/evidence/signed-note.js';
import { type KeyAtHand, signNow } from '../../src/evidence/signer.js';
import type { SigningKey } from '../../src/evidence/signing-key.js';

// The product signs drafts by its signer, which may be outside; tests sign them at once by keys that they have.

const signedBy = (draft: NoteDraft, keys: readonly SigningKey[]): string =>
  draft.with(keys.map((key) => [key.publicKey, key.sign(draft.toBeSigned)] as const));

export const signNote = (text: string, name: string, ...keys: readonly SigningKey[]): string =>
  signedBy(draftNote(text, name), keys);

export const signCheckpoint = (origin: string, head: TreeHead, ...keys: readonly SigningKey[]): string =>
  signedBy(draftCheckpoint(origin, head), keys);

export const signCose = (key: KeyAtHand, contentType: string, payload: Uint8Array, detached = false): Uint8Array =>
  signNow(draftCose(key, contentType, payload, detached), key);

export const signEpoch = (
  epoch: Parameters<typeof draftEpoch>[0],
  after: Parameters<typeof draftEpoch>[1],
  key: KeyAtHand,
): SignedReceipt => signNow(draftEpoch(epoch, after, key), key);

export const signPack = (parts: Parameters<typeof draftPack>[0], key: KeyAtHand): Uint8Array =>
  signNow(draftPack(parts, key), key);

export const signCoseReceipt = (logged: LoggedRecord, key: KeyAtHand): Uint8Array =>
  signNow(draftCoseReceipt(logged, key), key);

export const signStatement = (
  logged: LoggedRecord,
  parts: Parameters<typeof draftStatement>[1] & { key: KeyAtHand },
): Uint8Array => signNow(draftStatement(logged, parts), parts.key);

export const signReceiptBundle = (logged: LoggedRecord, parts: { base: string; key: KeyAtHand }): Uint8Array =>
  signNow(draftReceiptBundle(logged, parts), parts.key);
