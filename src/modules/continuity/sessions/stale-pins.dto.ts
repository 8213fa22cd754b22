import { Choice, DateTime, Integer, ListOf, Nested, Text } from '../../../common/fields/fields.js';
import { PIN_CHANGES, type PinChange } from './continuity.types.js';
import { SOURCE_STATES, type SourceState } from '../../knowledge/citations/source-states.types.js';
import { PRIMITIVE_KINDS, type PrimitiveKind } from './journal/journal.types.js';

export class PinReplacement {
  @Text({ about: 'The passage that holds the text now.' })
  chunkId!: string;

  @Integer({ about: 'Version of the document it is of.', min: 1 })
  version!: number;

  @Text({ about: "Digest of the passage's text, `blake3:<hex>`." })
  contentHash!: string;

  @Choice({ about: 'contained: it holds the text with more around it.', values: ['contained'] })
  match!: 'contained';
}

export class PinChangeRecord implements PinChange {
  @Choice({
    about:
      'drifted: the document does not have the text any more. unavailable: the document is deleted, or not visible to the tenant. unknown: its stored text is not what was indexed. Null for answer_revised.',
    values: SOURCE_STATES,
    nullable: true,
  })
  state!: SourceState | null;

  @Choice({
    about:
      'reingested: the document has another version, without the text. altered: the stored text is not what was indexed. deleted: it was taken out. not_visible: a shared document was deleted, or is shared with this tenant no longer; ' +
      'which of them another tenant does not learn. answer_revised: the pinned answer was recorded again; oldVersion and newVersion are its versions.',
    values: PIN_CHANGES,
  })
  change!: (typeof PIN_CHANGES)[number];

  @Text({ about: 'The passage, as pinned or cited; null for answer_revised.', nullable: true })
  chunkId!: string | null;

  @Choice({ about: "Whose: the tenant's own, or one shared with it.", values: ['tenant', 'commons'], nullable: true })
  source!: 'tenant' | 'commons' | null;

  @Text({ about: 'Corpus of its document.', nullable: true })
  corpusId!: string | null;

  @Text({ about: 'Its document.', nullable: true })
  docId!: string | null;

  @Integer({ about: 'Version that the pin rests on.', min: 1 })
  oldVersion!: number;

  @Integer({ about: 'Version now; null where there is none to be seen.', nullable: true })
  newVersion!: number | null;

  @Text({ about: 'The first 160 characters of the passage as it was.', nullable: true })
  excerpt!: string | null;

  @Text({ about: 'Digest of the passage as it was, `blake3:<hex>`.', nullable: true })
  contentHash!: string | null;

  @Text({ about: "Digest of the document's old version; null for documents of others.", nullable: true })
  oldDocumentHash!: string | null;

  @Text({ about: "Digest of the document's new version; null for documents of others.", nullable: true })
  newDocumentHash!: string | null;

  @DateTime({ about: 'When it changed; null where that is not known of a document of others.', nullable: true })
  changedAt!: string | null;

  @Nested({
    about:
      'A longer passage of the document that has the text in it; null when there is none. Pin this passage to be current again.',
    nullable: true,
    type: () => PinReplacement,
  })
  replacement!: PinReplacement | null;
}

export class StalePinRecord {
  @Choice({ about: 'Kind of the primitive that pins it.', values: PRIMITIVE_KINDS })
  kind!: PrimitiveKind;

  @Text({ about: 'Name of the primitive.' })
  name!: string;

  @Integer({ about: 'Version of the primitive.', min: 1 })
  version!: number;

  @Text({ about: 'The pinned passage; null where an answer is pinned.', nullable: true })
  chunkId!: string | null;

  @Text({ about: 'The pinned answer; null where a passage is pinned.', nullable: true })
  answerId!: string | null;

  @Integer({ about: 'Version of the answer when it was pinned.', nullable: true })
  answerVersion!: number | null;

  @Text({ about: 'Why it was pinned.', nullable: true })
  note!: string | null;

  @DateTime({ about: 'When it was pinned.' })
  pinnedAt!: string;

  @ListOf({
    about: 'What has changed: one for a passage, one for each changed citation of an answer.',
    type: () => PinChangeRecord,
  })
  changes!: PinChangeRecord[];
}

export class StalePinList {
  @ListOf({
    about: 'Pins of which something does not hold, by kind and name of their primitive.',
    type: () => StalePinRecord,
  })
  stale_pins!: StalePinRecord[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}
