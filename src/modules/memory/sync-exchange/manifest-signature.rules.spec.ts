import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../evidence/canonical-json.js';
import { findManifestFault } from './manifest-signature.rules.js';

const UNSIGNED = { schema: 'svc.sync_manifest/1', tenant_id: 'acme', position: 7, collections: [], unknown: { a: 1 } };

function signed(unsigned: object) {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { x } = privateKey.export({ format: 'jwk' });
  const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
  const bytes = Buffer.concat([Buffer.from('svc.sync.manifest/1\n'), canonicalJson(unsigned)]);
  const value = sign(null, bytes, privateKey).toString('base64url');
  return { ...unsigned, differs: ['owner_id'], signature: { algorithm: 'Ed25519', kid, public_key: x, value } };
}

describe('a manifest', () => {
  it('is taken as its key signed it, with members that are not known here', () => {
    expect(findManifestFault(signed(UNSIGNED), 'acme')).toBeUndefined();
  });

  it('is not taken when a member was changed, added or left out', () => {
    const manifest = signed(UNSIGNED);
    const without = { ...manifest, unknown: undefined };
    for (const changed of [{ ...manifest, position: 8 }, { ...manifest, more: true }, without])
      expect(findManifestFault(changed, 'acme')).toBe('whose signature does not hold');
    expect(findManifestFault({ ...manifest, position: '\ud800' }, 'acme')).toBe('whose signature does not hold');
  });

  it('is not taken under another name of its key, without a signature, or for another tenant', () => {
    const manifest = signed(UNSIGNED);
    const other = signed(UNSIGNED).signature;
    const { signature, ...bare } = manifest;
    expect(findManifestFault({ ...bare, signature: { ...signature, kid: other.kid } }, 'acme')).toMatch(/whose key/);
    expect(findManifestFault({ ...bare, signature: { ...signature, public_key: 'AA' } }, 'acme')).toMatch(/whose key/);
    expect(findManifestFault(bare, 'acme')).toMatch(/without/);
    expect(findManifestFault({ ...bare, signature: 'none' }, 'acme')).toMatch(/without/);
    expect(findManifestFault(manifest, 'other')).toBe('of another tenant');
  });
});
