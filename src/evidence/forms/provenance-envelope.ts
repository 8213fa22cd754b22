import type { X509Certificate } from 'node:crypto';
import { canonicalJson, isRecord } from '../canonical-json.js';
import { readCertificate } from '../certificate-path.js';
import { blake3 } from '../digest.js';
import { sha256 } from '../sha256.js';
import { BASE64, checkShape, constant, type Shape, TEXT } from '../shape.js';
import type { Draft } from '../signer.js';
import {
  bundleShape,
  type Enveloped,
  isSigstoreBundle,
  parseStatement,
  preAuthEncoding,
  readEnvelope,
  type SignedBundle,
  STATEMENT_TYPE,
  writeBundle,
} from './dsse.js';

const PREDICATE = /\/provenance\/v1$/;
const SUBJECT = 'content';

/** The digests of content, in lower-case hexadecimal. */
export interface ContentDigests {
  readonly sha256: string;
  readonly blake3: string;
}

/** Both digests, of the bytes as they are. */
export const digestsOf = (content: Uint8Array): ContentDigests => ({
  sha256: sha256(content).toString('hex'),
  blake3: Buffer.from(blake3(content)).toString('hex'),
});

/** What an envelope says of content. */
export interface Provenance {
  readonly digests: ContentDigests;
  readonly contentType: string;
  readonly manifest: Record<string, unknown>;
  /** From the leaf upwards; its first signed. */
  readonly chain: readonly X509Certificate[];
  /** The signer's own name of the key. */
  readonly keyId: string | undefined;
}

/** An envelope that could be read; whether its signature holds is another question. */
export interface ProvenanceEnvelope extends Enveloped {
  readonly leaf: X509Certificate;
  /** undefined where the statement inside is not one of these. */
  readonly provenance: Provenance | undefined;
}

/** The bytes are no envelope of this form, or were changed so that they are none any more. */
export class EnvelopeUnreadable extends Error {
  constructor(
    readonly code: 'foreign' | 'malformed',
    message: string,
  ) {
    super(message);
  }
}

/**
 * A Sigstore bundle v0.3 with the certificate of the signer: a DSSE envelope over an in-toto Statement v1, whose
 * subject is the content by its digests and whose predicate is the manifest. The whole chain stands under the
 * signature, in the annotations of the subject: the bundle itself takes the leaf alone.
 * @param base the predicate type is `<base>/provenance/v1`
 */
export function draftProvenance(provenance: Provenance, base: string): Draft<Uint8Array> {
  const payload = canonicalJson(statementOf(provenance, `${base}/provenance/v1`));
  const { chain, keyId } = provenance;
  const material = { certificate: { rawBytes: base64Of(chain[0]!) } };
  return {
    toBeSigned: preAuthEncoding(payload),
    with: (signature) => writeBundle({ material, payload, keyId, signature }),
  };
}

function statementOf({ digests, contentType, manifest, chain, keyId }: Provenance, predicateType: string): object {
  const annotations = { certificate_chain: chain.map(base64Of), ...(keyId === undefined ? {} : { key_id: keyId }) };
  return {
    _type: STATEMENT_TYPE,
    subject: [{ name: SUBJECT, mediaType: contentType, digest: digests, annotations }],
    predicateType,
    predicate: manifest,
  };
}

/** @throws EnvelopeUnreadable */
export function readProvenance(bytes: Uint8Array): ProvenanceEnvelope {
  const parsed = parse(bytes);
  if (!isSigstoreBundle(parsed)) throw new EnvelopeUnreadable('foreign', 'it is no Sigstore bundle v0.3');
  if (!isRecord(parsed.verificationMaterial) || !('certificate' in parsed.verificationMaterial))
    throw new EnvelopeUnreadable('foreign', 'its signature is not by the key of an X.509 certificate');
  return malformed(() => {
    checkShape(parsed, BUNDLE, 'bundle');
    const bundle = parsed as unknown as CertifiedBundle;
    const enveloped = readEnvelope(bytes, bundle);
    const leaf = certificateOf(bundle.verificationMaterial.certificate.rawBytes);
    return { ...enveloped, leaf, provenance: readStatement(enveloped, leaf) };
  });
}

function parse(bytes: Uint8Array): Record<string, unknown> {
  const parsed = malformed(() => parseStatement(bytes));
  if (isRecord(parsed)) return parsed;
  throw new EnvelopeUnreadable('foreign', 'it is no Sigstore bundle v0.3');
}

function malformed<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof EnvelopeUnreadable) throw error;
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw new EnvelopeUnreadable('malformed', 'it is not JSON in UTF-8');
    throw new EnvelopeUnreadable('malformed', (error as Error).message);
  }
}

/** @returns undefined for a statement that {@link draftProvenance} would not have made. @throws EnvelopeUnreadable */
function readStatement({ payload, keyId }: Enveloped, leaf: X509Certificate): Provenance | undefined {
  try {
    const statement = parseStatement(payload);
    if (isRecord(statement) && typeof statement.predicateType === 'string' && !PREDICATE.test(statement.predicateType))
      throw new EnvelopeUnreadable('foreign', 'its statement is of another type of predicate');
    checkShape(statement, STATEMENT, 'statement');
    const { subject, predicate, predicateType } = statement as StatementFile;
    const { annotations, digest, mediaType } = subject[0]!;
    const chain = annotations.certificate_chain.map(certificateOf);
    const provenance = {
      digests: { sha256: digest.sha256, blake3: digest.blake3 },
      contentType: mediaType,
      manifest: predicate,
      chain,
      keyId: annotations.key_id,
    };
    const isOwn = Buffer.compare(canonicalJson(statementOf(provenance, predicateType)), payload) === 0;
    if (!isOwn || !chain[0]?.raw.equals(leaf.raw) || (annotations.key_id ?? '') !== keyId) return undefined;
    return provenance;
  } catch (error) {
    if (error instanceof EnvelopeUnreadable) throw error;
    return undefined;
  }
}

const base64Of = ({ raw }: X509Certificate): string => raw.toString('base64');

/** @throws Error */
const certificateOf = (base64: string): X509Certificate => readCertificate(Buffer.from(base64, 'base64'));

type CertifiedBundle = SignedBundle<{ readonly certificate: { readonly rawBytes: string } }>;
interface StatementFile {
  readonly subject: readonly {
    readonly mediaType: string;
    readonly digest: ContentDigests;
    readonly annotations: { readonly certificate_chain: readonly string[]; readonly key_id?: string };
  }[];
  readonly predicateType: string;
  readonly predicate: Record<string, unknown>;
}

const BUNDLE = bundleShape({ certificate: { members: { rawBytes: BASE64 } } });
const STATEMENT: Shape = {
  members: {
    _type: constant(STATEMENT_TYPE),
    subject: [
      {
        members: {
          name: constant(SUBJECT),
          mediaType: TEXT,
          digest: { members: { sha256: TEXT, blake3: TEXT } },
          annotations: { members: { certificate_chain: [BASE64], 'key_id?': TEXT } },
        },
      },
    ],
    predicateType: TEXT,
    predicate: { is: 'an object', test: isRecord },
  },
};
