import type { SigningUse } from './purposes.js';

/** What verifies signatures of one key. */
export interface SignatureVerifier {
  readonly algorithm: 'EdDSA' | 'ES256';
  /** RFC 7638 thumbprint. */
  readonly kid: string;
  verify(message: Uint8Array, signature: Uint8Array): boolean;
}

/** A key that signs, wherever its private half is: in this process, or with a signer outside. */
export interface Signer<K extends SignatureVerifier = SignatureVerifier> {
  readonly algorithm: K['algorithm'];
  readonly kid: string;
  readonly publicKey: K;
  /**
   * Signatures of 64 bytes in the order of the messages; each holds.
   * @throws where there are none: then nothing was signed
   */
  signAll(messages: readonly Uint8Array[], purpose: SigningUse): readonly Uint8Array[] | Promise<readonly Uint8Array[]>;
}

/** A private key in this process, which needs no waiting. */
export interface KeyAtHand {
  readonly algorithm: SignatureVerifier['algorithm'];
  readonly kid: string;
  sign(message: Uint8Array): Uint8Array;
}

/** Something complete but for its signature. */
export interface Draft<T> {
  readonly toBeSigned: Uint8Array;
  with(signature: Uint8Array): T;
}

/** Who signs: what a draft says of its key. */
export type KeyName<K extends SignatureVerifier = SignatureVerifier> = Pick<K, 'algorithm' | 'kid'>;

/** Without waiting, and for whatever purpose the draft is: the caller has chosen the key. */
export const signNow = <T>(draft: Draft<T>, key: KeyAtHand): T => draft.with(key.sign(draft.toBeSigned));

/** One of them. @throws as {@link Signer.signAll} */
export async function signDraft<T>(draft: Draft<T>, signer: Pick<Signer, 'signAll'>, purpose: SigningUse): Promise<T> {
  const [signed] = await signDrafts([draft], signer, purpose);
  return signed!;
}

/** All of them at once, in their order. @throws as {@link Signer.signAll} */
export async function signDrafts<T>(
  drafts: readonly Draft<T>[],
  signer: Pick<Signer, 'signAll'>,
  purpose: SigningUse,
): Promise<T[]> {
  const messages = drafts.map(({ toBeSigned }) => toBeSigned);
  const signatures = await signer.signAll(messages, purpose);
  return drafts.map((draft, n) => draft.with(signatures[n]!));
}
