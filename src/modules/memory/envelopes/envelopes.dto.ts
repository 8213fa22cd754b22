import { BLAKE3_DIGEST } from '../../../evidence/digest-forms.js';
import {
  Choice,
  DateTime,
  Flag,
  FreeObject,
  Integer,
  ListOf,
  ListReadLater,
  Nested,
  Text,
  Uuid,
} from '../../../common/fields/fields.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';

/** The versions of docs/formats/result-envelope.md. */
const SCHEMA_VERSION = 1;
const DEFAULT_SCHEMA = 'svc.result';
const MAX_ITEMS = 10_000;
export const MAX_JOB_ID_BYTES = 1024;

export class CompanionArtifact {
  @Text({ about: 'Its name, once an envelope.', min: 1, max: 256, example: 'report.pdf' })
  name!: string;

  @Text({ about: 'BLAKE3-256 of its bytes.', pattern: BLAKE3_DIGEST, max: 71 })
  blake3_content_hash!: string;

  @Text({ about: 'What kind of bytes it is.', optional: true, min: 1, max: 120, example: 'application/pdf' })
  media_type?: string;

  @Integer({ about: 'How many bytes it has.', optional: true, min: 0, max: Number.MAX_SAFE_INTEGER })
  size_bytes?: number;
}

export class ImportEnvelopeRequest {
  @Integer({ about: 'Version of the format (docs/formats/result-envelope.md): 1.', min: 1, max: SCHEMA_VERSION })
  schema_version!: number;

  @Text({
    about: 'The job whose result it is, once a tenant; at most 1,024 bytes in UTF-8.',
    min: 1,
    max: 512,
    example: 'job-2026-0017',
  })
  job_id!: string;

  @TenantIdMember('The tenant that the result is for.', { example: 'default' })
  tenant_id!: string;

  @FreeObject({
    isReadLater: true,
    about:
      'The result: any JSON object of up to 2,000,000 values, at most 10,000 members in each object, without whole numbers past 2^53 - 1. Members with a meaning: `facts` (as PUT /v1/facts/bulk takes them), `entities` (kind, id, payload), `edges` (as PUT /v1/edges takes them), at most 10,000 each; `schema` and `purpose_tag`, text. All others are kept as they are.',
    example: { purpose_tag: 'research', facts: [{ entity: 'user:ada', key: 'city', value: 'London' }] },
  })
  payload!: Record<string, unknown>;

  @Text({ about: 'BLAKE3-256 of the canonical JSON (RFC 8785) of payload.', pattern: BLAKE3_DIGEST, max: 71 })
  blake3_content_hash!: string;

  @Text({
    about:
      "The platform's Ed25519 signature over the envelope: its key's id, a dot, and the 64 bytes in base64url. Keys are registered in the file that SVCD_PLATFORM_KEYS_FILE names.",
    min: 1,
    max: 1024,
  })
  platform_signature!: string;

  @Text({ about: 'Fingerprint of the passport that the job ran for; signed.', optional: true, min: 1, max: 256 })
  passport_fpr?: string;

  @Text({ about: 'The receipt of what the job cost; signed.', optional: true, min: 1, max: 512 })
  credit_spend_receipt?: string;

  @ListOf({
    about: 'What else the job made, by digest; signed. The bytes stay where they are.',
    type: () => CompanionArtifact,
    optional: true,
    max: 256,
  })
  companion_artifacts?: CompanionArtifact[];
}

/** The members of a payload that have a meaning. */
export class ResultPayload {
  @Text({ about: 'What the payload follows, in your own words.', default: DEFAULT_SCHEMA, min: 1, max: 200 })
  schema!: string;

  @Text({ about: 'What the result is for, in your own words.', optional: true, min: 1, max: 120 })
  purpose_tag?: string;

  @ListReadLater({ about: 'Facts.', type: () => Object, optional: true, min: 0, max: MAX_ITEMS })
  facts?: unknown[];

  @ListReadLater({ about: 'Entities.', type: () => Object, optional: true, min: 0, max: MAX_ITEMS })
  entities?: unknown[];

  @ListReadLater({ about: 'Edges.', type: () => Object, optional: true, min: 0, max: MAX_ITEMS })
  edges?: unknown[];
}

export class ImportCounts {
  @Integer({ about: 'Facts stored.', min: 0 })
  facts!: number;

  @Integer({ about: 'Entities stored.', min: 0 })
  entities!: number;

  @Integer({ about: 'Edges stored.', min: 0 })
  edges!: number;

  @Integer({ about: 'Companion artifacts named.', min: 0 })
  companion_artifacts!: number;
}

export class ImportEnvelopeReply {
  @Choice({ about: 'imported.', values: ['imported'] })
  status!: string;

  @Choice({ about: 'Why it was taken in.', values: ['signature_verified'] })
  reason!: string;

  @DateTime({ about: 'When it was imported.' })
  imported_at!: string;

  @Integer({ about: 'The same in milliseconds since 1970.' })
  at!: number;

  @Text({ about: 'The job.' })
  job_id!: string;

  @Text({ about: 'The tenant.' })
  tenant_id!: string;

  @Text({ about: 'Names what was imported: `art_` and 32 hexadecimal digits.' })
  artefact_id!: string;

  @Text({ about: 'BLAKE3-256 of the canonical payload, as it was found out.', pattern: BLAKE3_DIGEST })
  blake3_content_hash!: string;

  @Integer({ about: 'Bytes of the canonical payload.', min: 2 })
  size_bytes!: number;

  @Text({ about: 'The key whose signature was verified.' })
  key_id!: string;

  @Text({ about: 'The schema that the payload names.', example: DEFAULT_SCHEMA })
  schema!: string;

  @Text({ about: 'The purpose that the payload names; null where it names none.', nullable: true })
  purpose_tag!: string | null;

  @Nested({ about: 'What was stored, by what it is.', type: () => ImportCounts })
  counts!: ImportCounts;

  @Integer({ about: 'Entities stored.', min: 0 })
  entities!: number;

  @Integer({ about: 'Edges stored.', min: 0 })
  edges!: number;

  @ListOf({ about: 'What else the job made, as it was sent.', type: () => CompanionArtifact })
  companion_artifacts!: CompanionArtifact[];

  @Text({ about: 'The receipt of what the job cost; null where none was sent.', nullable: true })
  credit_spend_receipt!: string | null;

  @Flag({ about: 'Always true: the payload is kept as it was signed, and receipted.' })
  sealed!: boolean;

  @Uuid({ about: 'The signed receipt (result_envelope.imported).' })
  receipt_id!: string;
}
