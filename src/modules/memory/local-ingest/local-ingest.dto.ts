import { BLAKE3_DIGEST } from '../../../evidence/digest-forms.js';
import {
  Choice,
  Flag,
  FreeObject,
  Integer,
  ListOf,
  ListReadLater,
  MediaType,
  Text,
  Url,
  Uuid,
} from '../../../common/fields/fields.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';
import { LANGUAGES } from '../../../search/languages.js';
import {
  SEMANTIC_PROFILES,
  SHAREABILITIES,
  type SemanticProfile,
  type Shareability,
} from '../../knowledge/ingest/analysis/analysis.types.js';

/** What one call may bring, in bytes of UTF-8 and documents: reported in every response and in a 413. */
export const CAPS = {
  max_text_bytes: 1024 * 1024,
  max_texts: 256,
  max_total_text_bytes: 8 * 1024 * 1024,
} as const;

export class LocalIngestDocument {
  @Text({
    about: 'Identifies the document within its corpus. Sending it again replaces the document.',
    min: 1,
    max: 512,
    example: 'leave-policy',
  })
  doc_id!: string;

  @Text({ about: 'Shown with every passage, and searched.', min: 1, max: 2_000, example: 'Leave policy' })
  title!: string;

  @Text({
    about: 'Plain text, Markdown or HTML; at most max_text_bytes (1 MiB) in UTF-8, beyond that 413.',
    example: '# Leave\n\nEveryone has 28 days of leave a year.',
  })
  text!: string;

  @Url({ about: 'Where the document can be read.', optional: true, example: 'https://intranet.example.com/leave' })
  url?: string;

  @MediaType({
    about: 'text/plain, text/markdown or text/html, with any parameters; found out from the text when left out.',
    optional: true,
    values: ['text/plain', 'text/markdown', 'text/html'],
    max: 120,
  })
  content_type?: string;

  @Choice({
    about: 'Sets the language of a new corpus, english when left out; 409 when the corpus has another one.',
    values: LANGUAGES,
    optional: true,
  })
  language?: string;

  @Choice({
    about:
      'Who finds the document: its tenant (owner_only), also tenants entitled to the corpus (entitled_only), or everyone as part of the commons (public_safe).',
    values: SHAREABILITIES,
    default: 'owner_only',
  })
  shareability!: Shareability;

  @FreeObject({ about: "The caller's own, at most 64 KiB as JSON.", optional: true })
  metadata?: Record<string, unknown>;
}

export class LocalIngestRequest {
  @TenantIdMember('The tenant whose corpus it is.', { example: 'default' })
  tenant_id!: string;

  @Text({ about: 'The corpus of the documents; it is made when it is new.', min: 1, max: 512, example: 'handbook' })
  corpus_id!: string;

  @ListReadLater({
    about: 'The documents, all or none: at most max_texts (256), beyond that 413. A doc_id may stand in a call once.',
    type: () => LocalIngestDocument,
    min: 1,
  })
  documents!: object[];

  @Choice({
    about:
      'What the documents are to be found by, sealed with them. lexical: their words, no vectors are made. hybrid: also vectors, 400 where no embeddings endpoint is configured (SVC_EMBEDDINGS_URL). default: hybrid where there is an endpoint, else lexical.',
    values: SEMANTIC_PROFILES,
    default: 'default',
  })
  semantic_profile!: SemanticProfile;
}

export class LocalIngestedDocument {
  @Text({ about: 'The document.' })
  doc_id!: string;

  @Integer({ about: 'Its version in search; every accepted change counts one on.', min: 1 })
  version!: number;

  @Choice({
    about: 'ingested: a new version. unchanged: this version was there already.',
    values: ['ingested', 'unchanged'],
  })
  status!: string;

  @Integer({ about: 'Passages it is divided into.', min: 1 })
  chunk_count!: number;

  @Text({ about: 'BLAKE3-256 of the text in UTF-8.', pattern: BLAKE3_DIGEST })
  content_hash!: string;
}

export class LocalIngestReply {
  @Integer({ about: 'Documents that have a new version in search when this answers.', min: 0 })
  ingested!: number;

  @ListOf({ about: 'Every document of the call, in its order.', type: () => LocalIngestedDocument })
  documents!: LocalIngestedDocument[];

  @Integer({ about: 'Frames of the sealed segment: one a document.', min: 1 })
  frame_count!: number;

  @Integer({ about: "The segment's place among the tenant's, from 1 without gaps.", min: 1 })
  segment_seq!: number;

  @Text({ about: 'BLAKE3-256 of the segment (docs/formats/segments.md).', pattern: BLAKE3_DIGEST })
  segment_digest!: string;

  @Flag({ about: 'Always true: what could not be sealed was not taken in.' })
  sealed!: boolean;

  @Uuid({ about: 'The signed receipt (local.ingested).' })
  receipt_id!: string;

  @Integer({ about: 'Dimension of the vectors of dense_vectors; 0 where there are none.', min: 0 })
  dense_dim!: number;

  @Integer({
    about:
      'Passages of the documents that have a vector when this answers. They are made after the commit, for at most 5 s; searches use each from then on.',
    min: 0,
  })
  dense_vectors!: number;

  @Integer({
    about:
      'Passages that get their vector later, from workers of the API: the endpoint was too slow or did not answer. 0 where none are made.',
    min: 0,
  })
  dense_queued!: number;

  @Choice({
    about:
      'What all passages of the documents are found by when this answers: their words (lexical), or also vectors (hybrid).',
    values: ['lexical', 'hybrid'],
  })
  capability!: string;

  @Choice({
    about: 'INGESTED, or UNCHANGED where every document was there already as it is.',
    values: ['INGESTED', 'UNCHANGED'],
  })
  code!: string;

  @Integer({ about: 'Largest text, in bytes of UTF-8.' })
  max_text_bytes!: number;

  @Integer({ about: 'Most documents of a call.' })
  max_texts!: number;

  @Integer({ about: 'Largest sum of the texts of a call, in bytes of UTF-8.' })
  max_total_text_bytes!: number;
}
