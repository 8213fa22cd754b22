import { Choice, Flag, Integer, ListOf, Nested, Text, TextList } from '../../../common/fields/fields.js';
import { PassageLocation } from '../ingest/extraction/passage-location.dto.js';

export class PassagePath {
  @Text({ about: 'The passage: a chunkId that a retrieval, a citation or an alert answered.', min: 1, max: 512 })
  chunkId!: string;
}

export class PassageQuery {
  @Integer({ about: 'How many passages before it, and how many after it, come with it.', min: 0, max: 5, default: 0 })
  around!: number;
}

export class PassageText {
  @Text({ about: 'The passage.' })
  chunkId!: string;

  @Text({ about: 'Its text.' })
  content!: string;
}

export class PassageRead {
  @Text({ about: 'The passage.' })
  chunkId!: string;

  @Text({ about: 'Corpus of its document.' })
  corpusId!: string;

  @Text({ about: 'Its document.' })
  docId!: string;

  @Text({ about: 'Title of the document.', nullable: true })
  title!: string | null;

  @Text({ about: 'Address of the document.', nullable: true })
  url!: string | null;

  @Choice({ about: "Whose passage: the tenant's own, or one shared with it.", values: ['tenant', 'commons'] })
  source!: 'tenant' | 'commons';

  @Integer({ about: 'Version of the document that the passage is of.', min: 1 })
  version!: number;

  @Integer({ about: 'Newest version of the document.', min: 1 })
  newestVersion!: number;

  @Flag({ about: "Whether the document's newest version still has this text." })
  current!: boolean;

  @TextList({ about: 'Headings above it, outermost first.' })
  headingPath!: string[];

  @Integer({ about: 'Its place among the passages of that version, from 0.', min: 0 })
  position!: number;

  @Integer({ about: "Where it begins in the document's content, in UTF-16 code units.", min: 0 })
  start!: number;

  @Integer({ about: 'Where it ends, exclusive.', min: 0 })
  end!: number;

  @Nested({
    about: 'Where in its file it stands; only of a document that came as a file which has such places.',
    type: () => PassageLocation,
    optional: true,
  })
  location?: PassageLocation;

  @Text({ about: 'Its text.' })
  content!: string;

  @ListOf({ about: 'Passages before it in the same version, in document order.', type: () => PassageText })
  before!: PassageText[];

  @ListOf({ about: 'Passages after it.', type: () => PassageText })
  after!: PassageText[];

  @Nested({
    about:
      'The passage of the newest version that has this text, or stands in its place; null where this is it, or nothing stands there.',
    type: () => PassageText,
    nullable: true,
  })
  replacedBy!: PassageText | null;
}
