import { HEX_DIGEST } from '../../../evidence/digest-forms.js';
import { Base64, Secret } from '../../../common/fields/byte-fields.js';
import { AnyJson, DateTime, Flag, FreeObject, Nested, Text, TextList, Uuid } from '../../../common/fields/fields.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';

/** RFC 9110, 8.3.1: type, subtype and parameters, in visible ASCII. */
const MEDIA_TYPE = /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+( *;[ -~]*)?$/;
/** Without control characters: others show it. */
const KEY_ID = /^[ -~\u00a1-\uffff]+$/;
const MAX_PEM = 64 * 1024;

export class SignContentRequest {
  @Base64({ about: 'The content. It is hashed and not stored.', example: 'aGVsbG8K' })
  content_b64!: string;

  @Secret({
    about:
      'The private key in PEM form, not encrypted: EC on P-256 or P-384, Ed25519, or RSA of 2,048 to 8,192 bits, which signs by RSA-PSS. Used for this one signature and overwritten.',
    max: MAX_PEM,
  })
  signing_key_pem!: unknown;

  @Text({
    about: 'Certificates in PEM form: that of the key first, each issued by the next. At most 8.',
    min: 1,
    max: MAX_PEM,
  })
  cert_chain_pem!: string;

  @FreeObject({
    isReadLater: true,
    about: 'What is stated of the content: any JSON object. It is signed with it.',
    optional: true,
    example: { source: 'report.pdf' },
  })
  manifest?: Record<string, unknown>;

  @Text({
    about: 'The media type of the content; signed.',
    optional: true,
    max: 255,
    pattern: MEDIA_TYPE,
    default: 'application/octet-stream',
  })
  content_type!: string;

  @TenantIdMember('A tenant that the credential must cover. It is not in the envelope.', { optional: true })
  tenant_id?: string;

  @Text({
    about: 'Your own name of the key: the keyid of the signature, signed too.',
    optional: true,
    min: 1,
    max: 256,
    pattern: KEY_ID,
  })
  key_id?: string;
}

export class DigestPair {
  @Text({ about: 'SHA-256, in hexadecimal.', pattern: HEX_DIGEST })
  sha256!: string;

  @Text({ about: 'BLAKE3, 256 bits, in hexadecimal.', pattern: HEX_DIGEST })
  blake3!: string;
}

export class SignContentReply {
  @Text({
    about: 'base64 of the envelope: a Sigstore bundle v0.3 with a DSSE envelope over an in-toto Statement v1.',
  })
  manifest_envelope_b64!: string;

  @Text({ about: 'How it is signed.', example: 'ECDSA P-256 SHA-256' })
  algorithm!: string;

  @Nested({ about: 'The digests of the content.', type: () => DigestPair })
  digest!: DigestPair;
}

export class VerifyContentRequest {
  @Base64({ about: 'The envelope, as sign answered it.', min: 1 })
  manifest_envelope_b64!: string;

  @Base64({ about: 'The content that it should be of.' })
  content_b64!: string;

  @TenantIdMember(
    'A tenant that the credential must cover; verify-record leaves its receipt there. Unset: that of the caller.',
    { optional: true },
  )
  tenant_id?: string;
}

export class ChainVerdict {
  @Flag({
    about: 'Whether each certificate is issued by the next, all of them are valid now, and none is too weak.',
  })
  valid!: boolean;

  @Flag({ about: 'Whether it is valid and leads to a certificate of SVCD_PROVENANCE_TRUST_ROOTS_FILE.' })
  trusted!: boolean;

  @Text({ about: 'Whose certificate signed; null where none could be read.', nullable: true, example: 'CN=ada' })
  subject!: string | null;

  @Text({ about: 'Who issued it.', nullable: true })
  issuer!: string | null;

  @DateTime({ about: 'From when it is valid.', nullable: true })
  not_before!: string | null;

  @DateTime({ about: 'Until when.', nullable: true })
  not_after!: string | null;
}

export class ProvenanceVerdict {
  @Flag({ about: 'Whether the signature holds under the key of the certificate in the envelope.' })
  signature_valid!: boolean;

  @Flag({ about: 'Whether the content has both digests of the envelope.' })
  content_match!: boolean;

  @Nested({ about: 'The certificates in the envelope.', type: () => ChainVerdict })
  chain!: ChainVerdict;

  @AnyJson({
    about:
      'The manifest in the envelope; null where it has none that can be read. Only with signature_valid it is what was signed.',
    nullable: true,
  })
  manifest!: Record<string, unknown> | null;

  @TextList({
    about:
      'What does not hold: a code, a colon and a sentence. envelope_malformed, envelope_foreign, statement_malformed, signature_invalid, content_mismatch, key_unsupported, chain_broken, chain_expired, chain_not_yet_valid, chain_unfit, chain_too_weak. Empty when all holds; whether the chain is trusted is said by chain.trusted alone.',
  })
  errors!: string[];
}

export class RecordedVerdict {
  @Nested({ about: 'As verify answers it.', type: () => ProvenanceVerdict })
  verdict!: ProvenanceVerdict;

  @Flag({ about: 'Always true: the verdict has a signed receipt.' })
  recorded!: boolean;

  @Uuid({ about: 'The receipt (provenance.verified).' })
  receipt_id!: string;
}
