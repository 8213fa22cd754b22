import { createPublicKey, verify } from 'node:crypto';

/** SubjectPublicKeyInfo of an Ed25519 key (RFC 8410) is this and the 32 bytes of the key. */
const ED25519_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Whether the publisher signed the digest: Ed25519 over its text, `sha256:<hex>`. */
export function isSignedBy(publicKey: Buffer, digest: string, signature: Buffer): boolean {
  const key = createPublicKey({ key: Buffer.concat([ED25519_PREFIX, publicKey]), format: 'der', type: 'spki' });
  return verify(null, Buffer.from(digest), key, signature);
}
