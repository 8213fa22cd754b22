import {
  Choice,
  Flag,
  FreeObject,
  Integer,
  ListOf,
  ListReadLater,
  Text,
  Url,
  Uuid,
} from '../../../common/fields/fields.js';
import { LANGUAGES } from '../../../search/languages.js';
import { SHAREABILITIES, type Shareability } from '../../knowledge/ingest/analysis/analysis.types.js';

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

  @Text({
    about: 'text/plain, text/markdown or text/html; found out from the text when left out.',
    optional: true,
    max: 120,
    pattern: /^[\w.+-]+\/[\w.+-]+\s*(?:;|$)/,
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
  @Text({ about: 'The tenant whose corpus it is.', min: 1, max: 120, example: 'default' })
  tenant_id!: string;

  @Text({ about: 'The corpus of the documents; it is made when it is new.', min: 1, max: 512, example: 'handbook' })
  corpus_id!: string;

  @ListReadLater({
    about: 'The documents, all or none: at most max_texts (256), beyond that 413. A doc_id may stand in a call once.',
    type: () => LocalIngestDocument,
    min: 1,
  })
  documents!: object[];

  @Text({
    about: 'Which way of reading the documents was meant, in your own words; sealed with them.',
    default: 'default',
    min: 1,
    max: 120,
  })
  semantic_profile!: string;
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

  @Text({ about: 'BLAKE3-256 of the text in UTF-8.', pattern: /^blake3:[0-9a-f]{64}$/ })
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

  @Text({ about: 'BLAKE3-256 of the segment (docs/formats/segments.md).', pattern: /^blake3:[0-9a-f]{64}$/ })
  segment_digest!: string;

  @Flag({ about: 'Always true: what could not be sealed was not taken in.' })
  sealed!: boolean;

  @Uuid({ about: 'The signed receipt (local.ingested).' })
  receipt_id!: string;

  @Integer({ about: 'Dimension of the vectors of dense_vectors; 0 where there are none.', min: 0 })
  dense_dim!: number;

  @Integer({
    about:
      'Vectors made within the call: none. With SVC_EMBEDDINGS_URL set, workers of the API make them afterwards, and searches use them from then on.',
    min: 0,
  })
  dense_vectors!: number;

  @Choice({
    about: 'What the documents are found by: their words (lexical), or also by vectors once those are made (hybrid).',
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
