import { Choice, Text, Url } from '../../../../common/fields/fields.js';
import { SHAREABILITIES, type Shareability } from '../analysis/analysis.types.js';
import { MAX_ID_LENGTH, MAX_TITLE_LENGTH } from '../ingest.dto.js';

const MAX_FILE_NAME_LENGTH = 255;

/** Fields of the form, or parameters of the query; each in one of the two. */
export class IngestFileMembers {
  @Text({
    about: 'Needed. The corpus the document belongs to; it is made when it is new.',
    optional: true,
    min: 1,
    max: MAX_ID_LENGTH,
    example: 'handbook',
  })
  corpusId?: string;

  @Text({
    about: "Identifies the document within its corpus; without it the file's name does.",
    optional: true,
    min: 1,
    max: MAX_ID_LENGTH,
  })
  docId?: string;

  @Text({
    about: "Shown with every passage, and searched; without it the file's own title, or its name.",
    optional: true,
    min: 1,
    max: MAX_TITLE_LENGTH,
  })
  title?: string;

  @Url({ about: 'Where the document can be read; none where it is left out.', optional: true })
  url?: string;

  @Choice({
    about: 'Who finds the document, as of POST /v1/ingest; owner_only where it is left out.',
    values: SHAREABILITIES,
    optional: true,
  })
  shareability?: Shareability;

  @Text({
    about:
      "The caller's own, an object as JSON, at most 64 KiB. `language` sets the language of a new corpus. `contentType` and `file` are the server's to set.",
    optional: true,
    min: 2,
    max: 256 * 1024,
    example: '{"language":"english"}',
  })
  metadata?: string;

  @Text({
    about: 'Name of the file, with its ending; of a form it replaces the name of the part.',
    optional: true,
    min: 1,
    max: MAX_FILE_NAME_LENGTH,
    example: 'report.pdf',
  })
  fileName?: string;
}
