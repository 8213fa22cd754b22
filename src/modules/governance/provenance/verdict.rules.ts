import type { X509Certificate } from 'node:crypto';
import { verifyBytes, keyFaultOf } from '../../../evidence/forms/provenance-keys.js';
import {
  type ContentDigests,
  digestsOf,
  EnvelopeUnreadable,
  type ProvenanceEnvelope,
  readProvenance,
} from '../../../evidence/forms/provenance-envelope.js';
import { chainFaults, describeLeaf, isTrusted } from './chain.rules.js';
import type { ChainVerdict, ProvenanceVerdict } from './provenance.dto.js';

/** What an envelope is judged by. */
export interface Judgement {
  readonly content: Uint8Array;
  readonly roots: readonly X509Certificate[];
  readonly time: Date;
}

const NO_CHAIN: ChainVerdict = {
  valid: false,
  trusted: false,
  subject: null,
  issuer: null,
  not_before: null,
  not_after: null,
};

/** Judges an envelope. Whatever the bytes are, there is a verdict. */
export function judgeEnvelope(bytes: Uint8Array, by: Judgement): ProvenanceVerdict {
  let envelope: ProvenanceEnvelope;
  try {
    envelope = readProvenance(bytes);
  } catch (error) {
    if (!(error instanceof EnvelopeUnreadable)) throw error;
    const errors = [`envelope_${error.code}: ${error.message}`];
    return { signature_valid: false, content_match: false, chain: NO_CHAIN, manifest: null, errors };
  }
  return judge(envelope, by);
}

function judge({ leaf, signed, signature, provenance }: ProvenanceEnvelope, by: Judgement): ProvenanceVerdict {
  const keyFault = keyFaultOf(leaf.publicKey);
  const isSigned = keyFault === undefined && verifyBytes(leaf.publicKey, signed, signature);
  const isContent = provenance !== undefined && equal(provenance.digests, digestsOf(by.content));
  const chain = provenance?.chain ?? [leaf];
  const faults = chainFaults(chain, by.time);
  const isValid = provenance !== undefined && faults.length === 0;
  const errors = [
    ...(provenance ? [] : ['statement_malformed: what is signed is no statement that sign makes']),
    ...(keyFault === 'unsupported'
      ? ['key_unsupported: the key of the certificate is of a kind that is not taken']
      : []),
    ...(isSigned ? [] : ['signature_invalid: the manifest, the digests or the signature are not what was signed']),
    ...(isContent ? [] : ['content_mismatch: the content is not that of the envelope']),
    ...faults.map(({ code, detail }) => `chain_${code}: ${detail}`),
  ];
  return {
    signature_valid: isSigned,
    content_match: isContent,
    chain: { valid: isValid, trusted: isValid && isTrusted(chain, by.roots, by.time), ...describeLeaf(leaf) },
    manifest: provenance?.manifest ?? null,
    errors,
  };
}

const equal = (a: ContentDigests, b: ContentDigests): boolean => a.sha256 === b.sha256 && a.blake3 === b.blake3;
