import { Choice, Flag, Integer, ListOf, Text, Uuid } from '../../../common/fields/fields.js';
import { Candidate } from './candidates.dto.js';
import { PROFILES, type Profile } from './candidates.types.js';

/** Characters of a text, in UTF-16 units. */
const MAX_TEXT = 1024 * 1024;

export class ExtractRequest {
  @Text({
    about: 'What is looked through, up to 1,048,576 characters. Credentials in it are masked before anything else.',
    min: 1,
    max: MAX_TEXT,
    example: 'We decided to use PostgreSQL. Ada lives in London.',
  })
  text!: string;

  @Text({ about: 'The session that it was said in.', optional: true, min: 1, max: 256 })
  session_id?: string;

  @Choice({ about: 'What is looked for; default is all of it.', values: PROFILES, default: 'default' })
  profile!: Profile;

  @Text({
    about: 'The day of the session, YYYY-MM-DD; a time behind it is left out.',
    optional: true,
    max: 40,
    pattern: /^\d{4}-\d{2}-\d{2}(T\S*)?$/,
    example: '2026-01-31',
  })
  session_date?: string;

  @Flag({ about: 'Whether to answer what would be found, and store nothing.', default: false })
  dry_run!: boolean;

  @Text({
    about: 'Names this request, so that a lost answer can be asked for again: nothing is done twice.',
    optional: true,
    min: 1,
    max: 128,
  })
  operation_id?: string;
}

export class ExtractReply {
  @Text({ about: '`svc.extraction/1`.' })
  schema!: string;

  @Uuid({ about: 'Names the extraction: source_id of the evidence of its candidates.' })
  extraction_id!: string;

  @Integer({ about: 'How many statements were found.', min: 0 })
  extracted!: number;

  @Integer({ about: 'How many of them are candidates now.', min: 0 })
  written!: number;

  @Integer({ about: 'How many say what a fact, a pending candidate or the same text says already.', min: 0 })
  skipped_existing!: number;

  @Integer({ about: 'What a model proposed and the text does not say.', min: 0 })
  dropped!: number;

  @Integer({ about: 'What was found past the 1,000 of one extraction.', min: 0 })
  left_out!: number;

  @ListOf({
    about: 'What was found, in the order of the text; a repeat shows those that were written.',
    type: () => Candidate,
  })
  candidates!: Candidate[];

  @Flag({ about: 'Whether nothing was stored because that was asked for.' })
  dry_run!: boolean;

  @Flag({ about: 'Whether it was done before under this operation_id.' })
  replayed!: boolean;

  @Text({ about: 'Why the model that is configured had no part in it; null otherwise.', nullable: true })
  note!: string | null;

  @Uuid({ about: 'The signed receipt; null of a dry run.', nullable: true })
  receipt_id!: string | null;
}
