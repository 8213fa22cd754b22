import { Choice, FreeObject, ListOf, Text, Url, Uuid } from '../../../common/fields/fields.js';
import { SHAREABILITIES, type Shareability } from './analysis/analysis.types.js';

export const MAX_ID_LENGTH = 512;
export const MAX_TITLE_LENGTH = 2_000;
const MAX_BATCH = 500;
const INGEST_STATES = ['queued', 'processing', 'completed', 'failed'] as const;
export type IngestState = (typeof INGEST_STATES)[number];

export class IngestRequest {
  @Text({ about: "The caller's tenant; another one is refused with 403.", min: 1, max: 120, example: 'default' })
  tenantId!: string;

  @Text({
    about: 'The corpus the document belongs to; it is made when it is new.',
    min: 1,
    max: MAX_ID_LENGTH,
    example: 'handbook',
  })
  corpusId!: string;

  @Text({
    about: 'Identifies the document within its corpus. Sending it again replaces the document.',
    min: 1,
    max: MAX_ID_LENGTH,
    example: 'leave-policy',
  })
  docId!: string;

  @Text({ about: 'Shown with every passage, and searched.', min: 1, max: MAX_TITLE_LENGTH, example: 'Leave policy' })
  title!: string;

  @Text({
    about: 'Plain text, Markdown or HTML; at most 4 MiB in UTF-8, beyond that 413.',
    min: 1,
    example: '# Leave\n\nEveryone has 28 days of leave a year.',
  })
  content!: string;

  @Url({ about: 'Where the document can be read.', example: 'https://intranet.example.com/leave' })
  url!: string;

  @Choice({
    about:
      'Who finds the document: its tenant (owner_only), also tenants entitled to the corpus (entitled_only), or everyone as part of the commons (public_safe).',
    values: SHAREABILITIES,
    default: 'owner_only',
  })
  shareability!: Shareability;

  @Uuid({
    about: 'The suggestion that led to this document; GET /v1/documents/{corpusId}/{docId} shows it.',
    optional: true,
  })
  sourceSuggestionId?: string;

  @FreeObject({
    about:
      "The caller's own, at most 64 KiB as JSON. Two members have a meaning: `contentType` (text/plain, text/markdown, text/html; found out from the content when absent) and `language` (sets the language of a new corpus, english when absent; 409 when the corpus has another one).",
    optional: true,
    example: { contentType: 'text/markdown', language: 'english' },
  })
  metadata?: Record<string, unknown>;
}

export class IngestAccepted {
  @Uuid({ about: 'Names this ingest; ask GET /v1/ingest/{id} how it goes.' })
  ingestId!: string;

  @Choice({ about: 'Always queued at this point.', values: INGEST_STATES })
  status!: IngestState;

  @Uuid({ about: 'The signed receipt of the acceptance; documents of one batch share it.', optional: true })
  receiptId?: string;
}

export class IngestStatus {
  @Uuid({ about: 'The ingest.' })
  ingestId!: string;

  @Choice({
    about:
      'queued, processing where it takes a while, then completed (this version or a later one of the document is searchable) or failed.',
    values: INGEST_STATES,
  })
  status!: IngestState;

  @Text({
    about: 'failed: why. queued: why the attempt before failed, where one did. Otherwise null.',
    optional: true,
    nullable: true,
  })
  error?: string | null;
}

export class IngestPath {
  @Uuid({ about: 'The ingestId of the acceptance.' })
  id!: string;
}

export class IngestBatchRequest {
  @ListOf({ about: 'The documents, all of the same tenant.', type: () => IngestRequest, min: 1, max: MAX_BATCH })
  documents!: IngestRequest[];
}

export class IngestBatchAccepted {
  @ListOf({ about: 'One acceptance a document, in the same order.', type: () => IngestAccepted })
  accepted!: IngestAccepted[];
}
