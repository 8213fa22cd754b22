import type { KeyObject, X509Certificate } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import type { SecretBytes } from '../../../common/fields/secret-bytes.js';
import { draftProvenance, type Provenance } from '../../../evidence/forms/provenance-envelope.js';
import {
  algorithmOf,
  keyFaultOf,
  readPrivateKey,
  signBytes,
  verifyBytes,
} from '../../../evidence/forms/provenance-keys.js';
import { chainFaults, readChain } from './chain.rules.js';
import { CertificateChainRefused, SigningKeyRefused, type KeyRefusal } from './provenance.problems.js';

/** Signs by the key of a caller, once. */
@Injectable()
export class SigningGateway {
  private readonly base: string;

  constructor(@Inject(SETTINGS) { evidence }: Settings) {
    this.base = evidence.evidenceBase;
  }

  /**
   * The key is overwritten, whatever becomes of it.
   * @throws SigningKeyRefused, CertificateChainRefused
   */
  sign(
    secret: SecretBytes,
    chainPem: string,
    stated: Omit<Provenance, 'chain'>,
  ): { envelope: Uint8Array; algorithm: string } {
    const key = secret.spend(readKey);
    const chain = openChain(chainPem);
    const publicKey = chain[0]!.publicKey;
    checkStrength(publicKey);
    const draft = draftProvenance({ ...stated, chain }, this.base);
    const signature = trySigning(key, draft.toBeSigned);
    // By the certificate's own key: that the two belong together is then shown, and not supposed.
    if (!signature || !verifyBytes(publicKey, draft.toBeSigned, signature))
      throw keyRefused('not_of_leaf', 'is not the key of the first certificate of cert_chain_pem');
    return { envelope: draft.with(signature), algorithm: algorithmOf(publicKey) };
  }
}

function readKey(pem: Buffer): KeyObject {
  let key: KeyObject;
  try {
    key = readPrivateKey(pem);
  } catch (error) {
    throw keyRefused('unreadable', (error as Error).message);
  }
  checkStrength(key);
  return key;
}

function checkStrength(key: KeyObject): void {
  const fault = keyFaultOf(key);
  if (fault === 'too_weak') throw keyRefused(fault, 'is too weak: at least 2,048 bits of RSA, P-256, and SHA-256');
  if (fault)
    throw keyRefused(fault, 'is of a kind that is not taken: EC on P-256 or P-384, Ed25519, RSA up to 8,192 bits');
}

/** undefined for numbers that are no key, as only signing shows. */
function trySigning(key: KeyObject, bytes: Uint8Array): Uint8Array | undefined {
  try {
    return signBytes(key, bytes);
  } catch {
    return undefined;
  }
}

function openChain(pem: string): X509Certificate[] {
  let chain: X509Certificate[];
  try {
    chain = readChain(pem);
  } catch (error) {
    throw new CertificateChainRefused({ reason: 'unreadable' }, `body.cert_chain_pem ${(error as Error).message}`);
  }
  const [fault] = chainFaults(chain, new Date());
  if (fault) throw new CertificateChainRefused({ reason: fault.code }, `body.cert_chain_pem: ${fault.detail}`);
  return chain;
}

const keyRefused = (reason: KeyRefusal, what: string): SigningKeyRefused =>
  new SigningKeyRefused({ reason }, `body.signing_key_pem ${what}`);
