import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { sha256 } from '../sha256.js';
import type { SignatureVerifier, Signer } from '../signer.js';

/** Signatures as r and s, 32 bytes each (RFC 9053 section 2.1). */
const ENCODING = 'ieee-p1363';

/** An ECDSA public key on P-256 (ES256, RFC 9053 section 2.1). `kid` is the RFC 7638 thumbprint. */
export class Es256VerifyingKey implements SignatureVerifier {
  readonly algorithm = 'ES256';
  readonly kid: string;

  constructor(private readonly handle: KeyObject) {
    const { crv, x, y } = handle.export({ format: 'jwk' });
    if (crv !== 'P-256' || typeof x !== 'string' || typeof y !== 'string') throw new Error('not a key on P-256');
    const canonical = JSON.stringify({ crv, kty: 'EC', x, y });
    this.kid = Buffer.from(sha256(Buffer.from(canonical))).toString('base64url');
  }

  /** From the `x` and `y` of a JWK (RFC 7518 section 6.2.1). */
  static fromJwk(x: string, y: string): Es256VerifyingKey {
    return new Es256VerifyingKey(createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' }));
  }

  verify(message: Uint8Array, signature: Uint8Array): boolean {
    if (signature.length !== 64) return false;
    return verify('sha256', message, { key: this.handle, dsaEncoding: ENCODING }, signature);
  }

  toJwk(): { kty: 'EC'; crv: 'P-256'; x: string; y: string; kid: string; alg: 'ES256'; use: 'sig' } {
    const { x, y } = this.handle.export({ format: 'jwk' });
    return { kty: 'EC', crv: 'P-256', x: x!, y: y!, kid: this.kid, alg: 'ES256', use: 'sig' };
  }
}

/** An ECDSA private key on P-256. */
export class Es256SigningKey implements Signer<Es256VerifyingKey> {
  readonly algorithm = 'ES256';
  readonly publicKey: Es256VerifyingKey;

  private constructor(private readonly handle: KeyObject) {
    this.publicKey = new Es256VerifyingKey(createPublicKey(handle));
  }

  static fromPem(pem: string): Es256SigningKey {
    return new Es256SigningKey(createPrivateKey({ key: pem, format: 'pem' }));
  }

  static generate(): Es256SigningKey {
    return new Es256SigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  }

  get kid(): string {
    return this.publicKey.kid;
  }

  sign(message: Uint8Array): Uint8Array {
    return sign('sha256', message, { key: this.handle, dsaEncoding: ENCODING });
  }

  signAll(messages: readonly Uint8Array[]): Uint8Array[] {
    return messages.map((message) => this.sign(message));
  }

  toPem(): string {
    return this.handle.export({ type: 'pkcs8', format: 'pem' }).toString();
  }
}
