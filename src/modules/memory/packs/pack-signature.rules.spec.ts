import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../evidence/canonical-json.js';
import { blake3Digest } from '../../../evidence/digest.js';
import { SigningKey } from '../../../evidence/signing-key.js';
import { canonicalPack, findSignatureFault } from './pack-signature.rules.js';

const PACK = {
  schema: 'svc.pack/1',
  facts: [{ key: 'b', entity: 'é' }, { value: 1 / 3 }],
  entities: [],
  b: { z: 1, a: null },
};
const key = SigningKey.generate();
const signed = (bytes: Uint8Array, by = key) => ({
  ...{ algorithm: 'Ed25519', public_key: Buffer.from(by.publicKey.bytes).toString('base64url') },
  value: Buffer.from(by.sign(bytes)).toString('base64url'),
});

describe('the canonical form of a pack', () => {
  it('is that of RFC 8785 of the whole without the signature', async () => {
    const { bytes, hash } = await canonicalPack({ ...PACK, signature: { any: 'thing' } });
    expect(Buffer.from(bytes).toString()).toBe(Buffer.from(canonicalJson(PACK)).toString());
    expect(hash).toBe(blake3Digest(canonicalJson(PACK)));
    expect(Buffer.from((await canonicalPack({})).bytes).toString()).toBe('{}');
  });
});

describe('the signature of a pack', () => {
  it('holds over its bytes by the key of the fingerprint', async () => {
    const { bytes } = await canonicalPack(PACK);
    expect(await findSignatureFault(signed(bytes), key.kid, bytes)).toBeUndefined();
    expect(await findSignatureFault(signed(bytes), key.kid, Buffer.from('other'))).toBe('signature_invalid');
    expect(await findSignatureFault(signed(bytes, SigningKey.generate()), key.kid, bytes)).toBe('fingerprint_mismatch');
    expect(await findSignatureFault(signed(bytes), undefined, bytes)).toBe('fingerprint_mismatch');
  });

  it.each<[string, object]>([
    ['another algorithm', { algorithm: 'RSA' }],
    ['a short key', { public_key: 'AAAA' }],
    ['padding', { value: `${'A'.repeat(86)}==` }],
    ['another member', { more: 1 }],
    ['a key of small order', { public_key: 'A'.repeat(43) }],
  ])('with %s is none', async (_what, members) => {
    expect(await findSignatureFault({ ...signed(Buffer.from('x')), ...members }, key.kid, Buffer.from('x'))).toBe(
      'malformed_signature',
    );
  });
});
