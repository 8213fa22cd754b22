import { decodeExactly } from '../../../evidence/base64.js';
import { canonicalJson } from '../../../evidence/canonical-json.js';
import { VerifyingKey } from '../../../evidence/signing-key.js';

/** What {@link keyIn} found wrong, by member. */
export interface KeyFault {
  member: 'public_key' | 'proof';
  fault: string;
}

/** A key that may be a passport's, and whether its owner was shown to have it. */
export interface PassportKey {
  publicKey: string | null;
  fingerprint: string | null;
  attested: boolean;
}

/** The bytes that the owner of a key signs to show that it is its own: RFC 8785 of these members. */
export const proofBytes = (tenantId: string, passportId: string, publicKey: string): Uint8Array =>
  canonicalJson({ schema: 'svc.passport/1', tenant_id: tenantId, passport_id: passportId, public_key: publicKey });

/**
 * Reads the key of a passport and checks its proof. Without a key, or without a proof, it is not attested.
 * @param given base64url without padding: 32 bytes of an Ed25519 key, 64 of its signature over {@link proofBytes}
 */
export function keyIn(
  tenantId: string,
  passportId: string,
  given: { public_key?: string | undefined; proof?: string | undefined },
): PassportKey | KeyFault {
  const { public_key: publicKey, proof } = given;
  if (publicKey === undefined)
    return proof === undefined
      ? { publicKey: null, fingerprint: null, attested: false }
      : { member: 'proof', fault: 'is the signature of a key: send public_key as well' };
  const key = readKey(publicKey);
  if (!key) return { member: 'public_key', fault: 'is no Ed25519 public key: 32 bytes in base64url without padding' };
  const read = { publicKey, fingerprint: key.kid };
  if (proof === undefined) return { ...read, attested: false };
  const signature = decodeExactly(proof, 'base64url', 64);
  if (!signature) return { member: 'proof', fault: 'is no signature: 64 bytes in base64url without padding' };
  if (!key.verify(proofBytes(tenantId, passportId, publicKey), signature))
    return {
      member: 'proof',
      fault:
        'does not hold: public_key has to sign the RFC 8785 form of {"schema": "svc.passport/1", "tenant_id", "passport_id", "public_key"}',
    };
  return { ...read, attested: true };
}

function readKey(text: string): VerifyingKey | undefined {
  const bytes = decodeExactly(text, 'base64url', 32);
  if (!bytes) return undefined;
  try {
    return new VerifyingKey(bytes);
  } catch {
    return undefined;
  }
}
