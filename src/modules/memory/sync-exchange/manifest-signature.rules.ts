import { VerifyingKey } from '../../../evidence/signing-key.js';
import { manifestBytes } from '../sync/sync-wire.types.js';

interface Signed {
  readonly [member: string]: unknown;
  readonly signature?: unknown;
  readonly differs?: unknown;
}

/** Why a manifest, as it came, is not one that its key signed for this tenant; undefined where it is. */
export function findManifestFault(manifest: Signed, tenantId: string): string | undefined {
  const { signature, differs: _, ...unsigned } = manifest;
  const { algorithm, kid, public_key, value } = (signature ?? {}) as Record<string, unknown>;
  if (algorithm !== 'Ed25519' || typeof public_key !== 'string' || typeof value !== 'string')
    return 'without a signature of Ed25519';
  const key = keyOf(public_key);
  if (!key || key.kid !== kid) return 'whose key is not what its name says';
  if (!isSigned(key, unsigned, value)) return 'whose signature does not hold';
  return manifest['tenant_id'] === tenantId ? undefined : 'of another tenant';
}

/** What has no canonical form, such as half of a surrogate pair, was signed by nobody. */
function isSigned(key: VerifyingKey, unsigned: object, signature: string): boolean {
  try {
    return key.verify(manifestBytes(unsigned), Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

function keyOf(text: string): VerifyingKey | undefined {
  try {
    return new VerifyingKey(Uint8Array.from(Buffer.from(text, 'base64url')));
  } catch {
    return undefined;
  }
}
