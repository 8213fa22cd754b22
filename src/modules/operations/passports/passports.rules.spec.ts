import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyIn, proofBytes } from './passports.rules.js';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const x = publicKey.export({ format: 'jwk' }).x!;
const proofOf = (tenant: string, passport: string): string =>
  sign(null, proofBytes(tenant, passport, x), privateKey).toString('base64url');

describe('the key of a passport', () => {
  it('is not needed', () => {
    expect(keyIn('acme', 'ada', {})).toEqual({ publicKey: null, fingerprint: null, attested: false });
  });

  it('is attested by a signature of its own, over the passport and its tenant', () => {
    const fingerprint = expect.stringMatching(/^[\w-]{43}$/);
    expect(keyIn('acme', 'ada', { public_key: x })).toEqual({ publicKey: x, fingerprint, attested: false });
    const proof = proofOf('acme', 'ada');
    expect(keyIn('acme', 'ada', { public_key: x, proof })).toEqual({ publicKey: x, fingerprint, attested: true });
    for (const [tenant, passport] of [
      ['acme', 'bob'],
      ['umbrella', 'ada'],
    ] as const)
      expect(keyIn(tenant, passport, { public_key: x, proof })).toMatchObject({ member: 'proof' });
  });

  it.each<[object, string]>([
    [{ proof: proofOf('acme', 'ada') }, 'proof'],
    [{ public_key: x, proof: 'AAAA' }, 'proof'],
    [{ public_key: `${x}=` }, 'public_key'],
    [{ public_key: Buffer.alloc(31).toString('base64url') }, 'public_key'],
    // The neutral point: every signature holds for it.
    [{ public_key: Buffer.from([1, ...Buffer.alloc(31)]).toString('base64url') }, 'public_key'],
  ])('is refused: %j', (given, member) => {
    expect(keyIn('acme', 'ada', given)).toMatchObject({ member });
  });
});
