import { constants, createPrivateKey, type KeyObject, sign, verify } from 'node:crypto';

/** Why a key is not taken. */
export type KeyFault = 'too_weak' | 'unsupported';

const CURVES = new Set(['prime256v1', 'secp384r1']);
const MIN_RSA_BITS = 2048;
/** A signature takes a time that grows with the cube of the bits. */
const MAX_RSA_BITS = 8192;
const HASHES = new Set([undefined, 'sha256', 'sha384', 'sha512']);

/** Of a private or a public key, or of that of a certificate. */
export function keyFaultOf({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): KeyFault | undefined {
  const { namedCurve = '', modulusLength = 0, hashAlgorithm } = asymmetricKeyDetails;
  if (asymmetricKeyType === 'ed25519' || CURVES.has(namedCurve)) return undefined;
  if (asymmetricKeyType === 'ec') return bitsOf(namedCurve) < 256 ? 'too_weak' : 'unsupported';
  if (asymmetricKeyType !== 'rsa' && asymmetricKeyType !== 'rsa-pss') return 'unsupported';
  if (modulusLength < MIN_RSA_BITS || !HASHES.has(hashAlgorithm)) return 'too_weak';
  return modulusLength > MAX_RSA_BITS ? 'unsupported' : undefined;
}

/** The size of a curve, as its name has it. */
const bitsOf = (curve: string): number => Number(/\d{3}/.exec(curve)?.[0] ?? Infinity);

/**
 * Reads a private key of PKCS #8, SEC 1 or PKCS #1. No text is made of it.
 * @throws Error that says nothing of the bytes
 */
export function readPrivateKey(pem: Buffer): KeyObject {
  try {
    return createPrivateKey({ key: pem, format: 'pem' });
  } catch (error) {
    const isEncrypted = (error as { code?: string }).code === 'ERR_MISSING_PASSPHRASE';
    throw new Error(isEncrypted ? 'is encrypted' : 'is no private key in PEM form');
  }
}

/**
 * ECDSA with SHA-256 on both curves (DER), Ed25519, or RSASSA-PSS with SHA-256 unless the key itself names another
 * hash, and a salt as long as the hash: what verifiers take where nothing else is said.
 */
export const signBytes = (key: KeyObject, bytes: Uint8Array): Uint8Array => sign(hashFor(key), bytes, optionsFor(key));

/** Whether the signature is one of {@link signBytes}; false too for one that cannot be read. */
export function verifyBytes(key: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify(hashFor(key), bytes, optionsFor(key), signature);
  } catch {
    return false;
  }
}

const hashFor = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | null =>
  asymmetricKeyType === 'ed25519' ? null : (asymmetricKeyDetails?.hashAlgorithm ?? 'sha256');

const optionsFor = (key: KeyObject) =>
  key.asymmetricKeyType?.startsWith('rsa')
    ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : { key };

/** The name of the signature, as it is shown. */
export function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  if (asymmetricKeyType === 'ed25519') return 'Ed25519';
  if (asymmetricKeyType === 'ec')
    return `ECDSA ${asymmetricKeyDetails?.namedCurve === 'secp384r1' ? 'P-384' : 'P-256'} SHA-256`;
  return `RSASSA-PSS ${(asymmetricKeyDetails?.hashAlgorithm ?? 'sha256').replace('sha', 'SHA-')}`;
}
