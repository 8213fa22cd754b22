import { VerifyingKey } from '../../../evidence/signing-key.js';
import { manifestBytes } from '../sync/sync-wire.types.js';

interface Signed {
  readonly [member: string]: unknown;
  readonly signature?: unknown;
  readonly differs?: unknown;
}

/** Whose manifest it has to be. */
interface Expected {
  readonly tenantId: string;
  /** That of the peer's row. */
  readonly key: VerifyingKey;
}

/**
 * Why a manifest, as it came, is not one that the peer signed for this tenant; undefined where it is. The key that
 * stands in it proves nothing of who made it: that is for the key of the row (0451).
 */
export function findManifestFault(manifest: Signed, { tenantId, key: known }: Expected): string | undefined {
  const { signature, differs: _, ...unsigned } = manifest;
  const { algorithm, kid, public_key, value, peer } = (signature ?? {}) as Record<string, unknown>;
  if (algorithm !== 'Ed25519' || typeof public_key !== 'string' || typeof value !== 'string')
    return 'without a signature of Ed25519';
  const key = keyOf(public_key);
  if (!key || key.kid !== kid) return 'whose key is not what its name says';
  if (!isSigned(key, unsigned, value)) return 'whose signature does not hold';
  const { kid: signer, value: proof } = (peer ?? {}) as Record<string, unknown>;
  if (typeof proof !== 'string') return UNPROVEN;
  if (signer !== known.kid || !isSigned(known, unsigned, proof))
    return `not signed by the key of its row, ${known.kid}`;
  return manifest['tenant_id'] === tenantId ? undefined : 'of another tenant';
}

const UNPROVEN =
  'without a signature by its key for peers: it is of a release that makes none, or its machine does not have the key that "svc peer key" prints there';

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
