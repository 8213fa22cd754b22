import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto';
import { expectStrongPoint } from './ed25519-points.js';
import { sha256 } from './sha256.js';
import type { SignatureVerifier, Signer } from './signer.js';

/**
 * An Ed25519 public key as a JSON Web Key (RFC 7517, RFC 8037). `kid` is the RFC 7638 thumbprint: base64url without
 * padding of SHA-256 over `{"crv":"Ed25519","kty":"OKP","x":"<x>"}`. `nbf` and `exp` are seconds since 1970 (UTC): the
 * key signs from nbf on and, when it has been rotated out, not at or after exp.
 */
export interface PublicJwk {
  readonly alg: 'EdDSA';
  readonly crv: 'Ed25519';
  readonly exp?: number;
  readonly kid: string;
  readonly kty: 'OKP';
  readonly nbf: number;
  readonly use: 'sig';
  readonly x: string;
}

/** 32 bytes of an Ed25519 public key with the ready-made handle for verifying. */
export class VerifyingKey implements SignatureVerifier {
  readonly algorithm = 'EdDSA';
  readonly kid: string;
  private readonly handle: KeyObject;

  constructor(readonly bytes: Uint8Array) {
    if (bytes.length !== 32) throw new Error(`an Ed25519 public key has 32 bytes, got ${String(bytes.length)}`);
    expectStrongPoint(bytes);
    const x = Buffer.from(bytes).toString('base64url');
    this.kid = thumbprint(x);
    this.handle = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  }

  verify(message: Uint8Array, signature: Uint8Array): boolean {
    return signature.length === 64 && verifyBytes(null, message, this.handle, signature);
  }

  /** SPKI PEM (RFC 5280, RFC 8410). */
  toPem(): string {
    return this.handle.export({ type: 'spki', format: 'pem' }).toString();
  }

  /** `until` null: still in use. */
  toJwk(from: Date, until: Date | null): PublicJwk {
    return {
      alg: 'EdDSA',
      crv: 'Ed25519',
      ...(until === null ? {} : { exp: Math.ceil(until.getTime() / 1000) }),
      kid: this.kid,
      kty: 'OKP',
      nbf: Math.floor(from.getTime() / 1000),
      use: 'sig',
      x: Buffer.from(this.bytes).toString('base64url'),
    };
  }
}

/** A key of the chain, wherever its private half is. */
export type EvidenceSigner = Signer<VerifyingKey>;

/** What stands before the 32 bytes of an Ed25519 private key in PKCS#8 DER (RFC 8410, section 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** An Ed25519 private key (RFC 8032). Signing is deterministic. */
export class SigningKey implements EvidenceSigner {
  readonly algorithm = 'EdDSA';
  readonly publicKey: VerifyingKey;

  private constructor(private readonly handle: KeyObject) {
    if (handle.asymmetricKeyType !== 'ed25519') {
      throw new Error(`the signing key must be Ed25519, this one is ${String(handle.asymmetricKeyType)}`);
    }
    this.publicKey = new VerifyingKey(publicBytes(handle));
  }

  /** From PKCS#8 PEM (RFC 5958, RFC 8410), as `openssl genpkey -algorithm ed25519` writes it. */
  static fromPem(pem: string): SigningKey {
    return new SigningKey(createPrivateKey({ key: pem, format: 'pem' }));
  }

  static generate(): SigningKey {
    return new SigningKey(generateKeyPairSync('ed25519').privateKey);
  }

  /** Another key, the same for the same words: HKDF-SHA256 (RFC 5869) of the 32 bytes of this one, without a salt. */
  derive(info: string): SigningKey {
    const { d } = this.handle.export({ format: 'jwk' });
    const seed = Buffer.from(hkdfSync('sha256', Buffer.from(d!, 'base64url'), '', info, 32));
    return new SigningKey(createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' }));
  }

  get kid(): string {
    return this.publicKey.kid;
  }

  sign(message: Uint8Array): Uint8Array {
    return signBytes(null, message, this.handle);
  }

  signAll(messages: readonly Uint8Array[]): Uint8Array[] {
    return messages.map((message) => this.sign(message));
  }

  toPem(): string {
    return this.handle.export({ type: 'pkcs8', format: 'pem' }).toString();
  }
}

/** RFC 7638 thumbprint of an Ed25519 key, from the base64url text of its 32 bytes. */
export function thumbprint(x: string): string {
  const canonical = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  return Buffer.from(sha256(Buffer.from(canonical))).toString('base64url');
}

/** A public key from SPKI PEM; a private PEM is taken too and gives its public half. */
export function verifyingKeyFromPem(pem: string): VerifyingKey {
  const handle = createPublicKey({ key: pem, format: 'pem' });
  if (handle.asymmetricKeyType !== 'ed25519') throw new Error('the PEM file does not hold an Ed25519 key');
  return new VerifyingKey(publicBytes(handle));
}

function publicBytes(handle: KeyObject): Uint8Array {
  const { x } = (handle.type === 'public' ? handle : createPublicKey(handle)).export({ format: 'jwk' });
  if (typeof x !== 'string') throw new Error('the key has no Ed25519 public part');
  return Buffer.from(x, 'base64url');
}
