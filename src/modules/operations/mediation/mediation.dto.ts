import { AnyJson, Choice, Flag, Integer, ListOf, Text, Uuid } from '../../../common/fields/fields.js';
import { DRAFT_KINDS, type DraftKind } from './mediation.types.js';

const nullable = true;

export class MediationDraft {
  @Choice({
    about:
      'What the draft is. `stream` and `context` need SVCD_STREAM_RECEIPTS=1, `usage_ping` needs SVCD_FEATURE_USAGE_RECEIPTS=1.',
    values: DRAFT_KINDS,
  })
  kind!: DraftKind;

  @AnyJson({ about: 'What the engine gets, as it is.', maxBytes: 1024 * 1024 })
  payload!: unknown;
}

export class MediatedDraft {
  @Uuid({ about: 'The draft; the engine gets it too.' })
  draft_id!: string;

  @Choice({ about: 'What it was.', values: DRAFT_KINDS })
  kind!: DraftKind;

  @AnyJson({ about: 'What the engine answered, as it is.' })
  answer!: unknown;

  @Integer({ about: 'The status of its answer.' })
  engine_status!: number;

  @Text({ about: 'SHA-256 over salt and payload (RFC 8785), as the receipt has it.' })
  payload_digest!: string;

  @Text({ about: 'The same over salt and answer.' })
  answer_digest!: string;

  @Text({ about: '16 bytes in hexadecimal, which the server does not keep.' })
  salt!: string;

  @Text({ about: 'The receipt of the draft.' })
  receipt_id!: string;
}

export class DraftKindState {
  @Choice({ about: 'The kind.', values: DRAFT_KINDS })
  kind!: DraftKind;

  @Flag({ about: 'Whether drafts of it are taken.' })
  enabled!: boolean;

  @Text({ about: 'The setting it needs; null: none.', nullable })
  flag!: string | null;
}

export class MediationStatus {
  @Flag({ about: 'true: without an engine this address is not there.' })
  engine_configured!: true;

  @ListOf({ about: 'Kinds of drafts.', type: () => DraftKindState })
  drafts!: DraftKindState[];
}
