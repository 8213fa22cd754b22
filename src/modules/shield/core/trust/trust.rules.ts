import { VerifyingKey } from '../../../../evidence/signing-key.js';

/** The Ed25519 key that these bytes are; undefined of what can be nobody's. */
export function keyOf(bytes: Uint8Array): VerifyingKey | undefined {
  try {
    return new VerifyingKey(bytes);
  } catch {
    return undefined;
  }
}

/** Whether the publisher signed the digest: Ed25519 over its text, `sha256:<hex>`. */
export const isSignedBy = (publicKey: Uint8Array, digest: string, signature: Uint8Array): boolean =>
  keyOf(publicKey)?.verify(Buffer.from(digest), signature) === true;
