import { BLAKE3_DIGEST } from '../../../evidence/digest-forms.js';
import { Choice, DateTime, Flag, FreeObject, Integer, ListOf, Text, Url, Uuid } from '../../../common/fields/fields.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { LANGUAGES } from '../../../search/languages.js';
import { SHAREABILITIES, type Shareability } from './analysis/analysis.types.js';
import { MAX_ID_LENGTH } from './ingest.dto.js';

export class Corpus {
  @Text({ about: 'The corpus.', min: 1, max: MAX_ID_LENGTH })
  corpusId!: string;

  @Choice({ about: 'How its text is analysed: stemming and stop words. Set by its first document.', values: LANGUAGES })
  language!: string;

  @Integer({ about: 'Documents of it that can be searched.', min: 0 })
  documents!: number;

  @DateTime({ about: 'When its first document was accepted.' })
  createdAt!: string;
}

export class CorpusList {
  @ListOf({ about: 'Corpora by id.', type: () => Corpus })
  corpora!: Corpus[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class Document {
  @Text({ about: 'The corpus it belongs to.' })
  corpusId!: string;

  @Text({ about: 'The document.' })
  docId!: string;

  @Integer({ about: 'The version in search; every accepted change counts one on.', min: 1 })
  version!: number;

  @Text({ about: 'Its title.' })
  title!: string;

  @Url({ about: 'Where it can be read.', nullable: true })
  url!: string | null;

  @Choice({ about: 'Who finds it.', values: SHAREABILITIES })
  shareability!: Shareability;

  @FreeObject({ about: "The caller's own.", nullable: true })
  metadata!: Record<string, unknown> | null;

  @Text({ about: 'BLAKE3-256 of the content in UTF-8.', pattern: BLAKE3_DIGEST })
  contentHash!: string;

  @Integer({ about: 'Passages it was divided into.', min: 1 })
  chunkCount!: number;

  @DateTime({ about: 'When the document was first accepted.' })
  createdAt!: string;

  @DateTime({ about: 'When this version became searchable.' })
  updatedAt!: string;
}

export class DocumentWithContent extends Document {
  @Text({ about: 'The content as it was sent; the offsets of passages refer to it.' })
  content!: string;

  @Uuid({ about: 'The suggestion that led to this version; null where none was named.', nullable: true })
  sourceSuggestionId!: string | null;

  @Flag({ about: 'True while an incident has it set aside: no search finds it. Absent otherwise.', optional: true })
  quarantined?: boolean;
}

export class DocumentList {
  @ListOf({ about: 'Documents in the order in which they became searchable.', type: () => Document })
  documents!: Document[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class DocumentListQuery extends PageQuery {
  @Text({ about: 'Only this corpus.', optional: true, min: 1, max: MAX_ID_LENGTH })
  corpusId?: string;

  @Choice({ about: 'Only documents shared like this.', values: SHAREABILITIES, optional: true })
  shareability?: Shareability;

  @DateTime({ about: 'Only documents whose version became searchable at this time or later.', optional: true })
  updatedSince?: string;
}

export class DocumentPath {
  @Text({ about: 'The corpus.', min: 1, max: MAX_ID_LENGTH })
  corpusId!: string;

  @Text({ about: 'The document.', min: 1, max: MAX_ID_LENGTH })
  docId!: string;
}

export class DocumentWithdrawn {
  @Text({ about: 'The corpus.' })
  corpusId!: string;

  @Text({ about: 'The document, no longer found by any search.' })
  docId!: string;

  @Uuid({ about: 'The signed receipt of the withdrawal.' })
  receiptId!: string;
}
