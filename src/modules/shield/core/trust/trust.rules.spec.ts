import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isSignedBy, keyOf } from './trust.rules.js';

/** A publisher: its public key as it is registered, 32 bytes, and its signature of a text. */
function publisher() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
  return { key, sign: (text: string | Buffer) => sign(null, Buffer.from(text), privateKey) };
}
const digestOf = (digit: string) => `sha256:${digit.repeat(64)}`;

describe('the signature of a publisher', () => {
  const [acme, other] = [publisher(), publisher()];
  const signature = acme.sign(digestOf('a'));

  it('is Ed25519 as RFC 8032 has it', () => {
    const key = Buffer.from('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c', 'hex');
    const ofTest2 = Buffer.from(
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
      'hex',
    );
    expect([isSignedBy(key, 'r', ofTest2), isSignedBy(key, 's', ofTest2)]).toEqual([true, false]);
  });

  it('holds for its own key and digest alone', () => {
    expect(isSignedBy(acme.key, digestOf('a'), signature)).toBe(true);
    expect(isSignedBy(acme.key, digestOf('b'), signature)).toBe(false);
    expect(isSignedBy(other.key, digestOf('a'), signature)).toBe(false);
  });

  it('is over the text of the digest, with the name of its algorithm', () => {
    const bytes = Buffer.from('a'.repeat(64), 'hex');
    expect(isSignedBy(acme.key, digestOf('a'), acme.sign(bytes))).toBe(false);
    expect(isSignedBy(acme.key, digestOf('a'), acme.sign('a'.repeat(64)))).toBe(false);
  });

  it('does not hold with any byte changed, nor cut or extended', () => {
    for (let i = 0; i < signature.length; i++) {
      const changed = Buffer.from(signature);
      changed[i]! ^= 1;
      expect([i, isSignedBy(acme.key, digestOf('a'), changed)]).toEqual([i, false]);
    }
    for (const bytes of [Buffer.alloc(0), signature.subarray(1), Buffer.concat([signature, Buffer.of(0)])])
      expect(isSignedBy(acme.key, digestOf('a'), bytes)).toBe(false);
  });

  it('does not hold under 32 bytes that are no key', () => {
    for (const bytes of [Buffer.alloc(32, 0xff), Buffer.concat([Buffer.of(1), Buffer.alloc(31)]), Buffer.alloc(31)])
      expect(keyOf(bytes)).toBeUndefined();
    expect(keyOf(acme.key)?.bytes).toEqual(acme.key);
    expect(isSignedBy(Buffer.alloc(32, 0xff), digestOf('a'), signature)).toBe(false);
  });
});
