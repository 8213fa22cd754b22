import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../evidence/canonical-json.js';
import { VerifyingKey } from '../../../evidence/signing-key.js';
import { findManifestFault } from './manifest-signature.rules.js';

const UNSIGNED = { schema: 'svc.sync_manifest/1', tenant_id: 'acme', position: 7, collections: [], unknown: { a: 1 } };

const peer = generateKeyPairSync('ed25519').privateKey;
const key = new VerifyingKey(Uint8Array.from(Buffer.from(peer.export({ format: 'jwk' }).x!, 'base64url')));
const ACME = { tenantId: 'acme', key };

const bytesOf = (unsigned: object) => Buffer.concat([Buffer.from('svc.sync.manifest/1\n'), canonicalJson(unsigned)]);

/** @param by the key for peers of whoever makes it */
function signed(unsigned: object, by: KeyObject = peer) {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { x } = privateKey.export({ format: 'jwk' });
  const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
  const value = sign(null, bytesOf(unsigned), privateKey).toString('base64url');
  const proof = { kid: key.kid, value: sign(null, bytesOf(unsigned), by).toString('base64url') };
  const signature = { algorithm: 'Ed25519', kid, public_key: x, value, peer: proof };
  return { ...unsigned, differs: ['owner_id'], signature };
}

describe('a manifest', () => {
  it('is taken as its keys signed it, with members that are not known here', () => {
    expect(findManifestFault(signed(UNSIGNED), ACME)).toBeUndefined();
  });

  it('is not taken when a member was changed, added or left out', () => {
    const manifest = signed(UNSIGNED);
    const without = { ...manifest, unknown: undefined };
    for (const changed of [{ ...manifest, position: 8 }, { ...manifest, more: true }, without])
      expect(findManifestFault(changed, ACME)).toBe('whose signature does not hold');
    expect(findManifestFault({ ...manifest, position: '\ud800' }, ACME)).toBe('whose signature does not hold');
  });

  it('is not taken under another name of its key, without a signature, or for another tenant', () => {
    const manifest = signed(UNSIGNED);
    const other = signed(UNSIGNED).signature;
    const { signature, ...bare } = manifest;
    expect(findManifestFault({ ...bare, signature: { ...signature, kid: other.kid } }, ACME)).toMatch(/whose key/);
    expect(findManifestFault({ ...bare, signature: { ...signature, public_key: 'AA' } }, ACME)).toMatch(/whose key/);
    expect(findManifestFault(bare, ACME)).toMatch(/without/);
    expect(findManifestFault({ ...bare, signature: 'none' }, ACME)).toMatch(/without/);
    expect(findManifestFault(manifest, { ...ACME, tenantId: 'other' })).toBe('of another tenant');
  });

  it('is not taken where only the key that stands in it has signed it', () => {
    const { signature, ...bare } = signed(UNSIGNED);
    for (const proof of [undefined, null, 'none', { kid: key.kid }])
      expect(findManifestFault({ ...bare, signature: { ...signature, peer: proof } }, ACME)).toMatch(/key for peers/);
    const forged = signed(UNSIGNED, generateKeyPairSync('ed25519').privateKey);
    expect(findManifestFault(forged, ACME)).toBe(`not signed by the key of its row, ${key.kid}`);
    const ofAnother = { ...signature, peer: signed({ ...UNSIGNED, position: 8 }).signature.peer };
    expect(findManifestFault({ ...bare, signature: ofAnother }, ACME)).toMatch(/not signed by the key of its row/);
  });
});
