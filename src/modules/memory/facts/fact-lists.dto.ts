import { DateTime, Flag, Integer, Text } from '../../../common/fields/fields.js';
import { FactsReply } from './facts.dto.js';
import { MAX_ENTITY } from './facts.types.js';

/** What GET /v1/facts/export takes. */
export class ExportQuery {
  @DateTime({ about: 'Only records stored then or later: the exported_at of the export before.', optional: true })
  since?: string;

  @Text({ about: 'The next_cursor of the page before.', optional: true, min: 1, max: 2048 })
  cursor?: string;

  @Integer({ about: 'How many records at most.', min: 1, max: 1000, default: 500 })
  limit!: number;
}

export class FactsExport extends FactsReply {
  @DateTime({
    about:
      'Every record stored before then is in this page, in those before it or in those after it: send it as since for what came later.',
  })
  exported_at!: string;

  @Flag({ about: 'Whether there is another page.' })
  has_more!: boolean;

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

const INT64 = 9_223_372_036_854_775_807;

/** What GET /v1/facts/list takes. */
export class FactListQuery {
  @Text({ about: 'The next_cursor of the page before.', optional: true, min: 1, max: 2048 })
  cursor?: string;

  @Integer({ about: 'How many records at most.', min: 1, max: 1000, default: 50 })
  limit!: number;

  @Flag({
    about: 'Also those of entities under reserved prefixes: __, svc:, layer:, storybook:, dossier:.',
    default: false,
  })
  include_reserved!: boolean;

  @Flag({ about: 'Also records that a later version has retired.', default: true })
  include_superseded!: boolean;

  @Text({ about: 'Only those about entities that begin so.', optional: true, max: MAX_ENTITY })
  entity_prefix?: string;

  @Text({
    about: 'Only those whose entity, key or value holds this text, whatever its case.',
    optional: true,
    min: 1,
    max: 1024,
  })
  q?: string;

  @Integer({
    about: 'The list as it was then (Unix milliseconds), by when records were stored, superseded and deleted.',
    optional: true,
    min: -INT64,
    max: INT64,
  })
  as_of_unix_ms?: number;
}

export class FactList extends FactsReply {
  @Flag({ about: 'Whether there is another page.' })
  has_more!: boolean;

  @Integer({ about: 'The limit that held.' })
  limit!: number;

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;

  @Integer({
    about:
      'Stored records that are not deleted, whoever may see them, reserved ones too: counted under include_superseded and as_of_unix_ms, whatever entity_prefix and q.',
  })
  total_nondeleted!: number;

  @Integer({ about: 'Records on all pages of this listing, for this caller under these filters.' })
  total_visible!: number;
}
