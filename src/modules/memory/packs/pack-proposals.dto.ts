import {
  Choice,
  DateTime,
  Decimal,
  Documented,
  Flag,
  Integer,
  ListOf,
  Text,
  TextList,
  Uuid,
} from '../../../common/fields/fields.js';
import { type Extractor, RESOLUTIONS, type Resolution } from '../candidates/candidates.types.js';
import { MAX_ENTITY, MAX_KEY } from '../facts/facts.types.js';

const MAX_TEXT = 65_536;
const MAX_VALUE = 1024 * 1024;

/** As a name is written: no text of a secret. */
const SECRET_KIND = /^[a-z0-9-]{1,64}$/;
const CASE_MEMBER = /^(?:task|action|outcome|context|lesson|tags\[\d{1,3}\])$/;
const MAX_PLACES = 1000;

/** A secret that was masked before the entry was written. */
class PackScreenedSpan {
  @Text({ about: 'What kind of secret it was.', pattern: SECRET_KIND, max: 64 })
  kind!: string;

  @Integer({ about: 'Where it began in the text as it was sent, in UTF-16 units.', min: 0 })
  start!: number;

  @Integer({ about: 'Where it ended.', min: 0 })
  end!: number;
}

class PackScreenedMember extends PackScreenedSpan {
  @Text({ about: 'The member that it stood in.', pattern: CASE_MEMBER, max: 64 })
  member!: string;
}

export class PackCase {
  @Uuid({ about: 'Its id, which it keeps.', optional: true })
  case_id?: string;

  @Text({ about: 'What was to be done.', min: 1, max: MAX_TEXT })
  task!: string;

  @Text({ about: 'What was done.', min: 1, max: MAX_TEXT })
  action!: string;

  @Text({ about: 'What came of it.', max: MAX_TEXT })
  outcome!: string;

  @Text({ about: 'The circumstances.', max: MAX_TEXT, default: '' })
  context!: string;

  @Text({ about: 'What is to be learnt from it.', optional: true, nullable: true, max: MAX_TEXT })
  lesson?: string | null;

  @Flag({ about: 'Whether it went well, as POST /v1/cases takes it.', optional: true })
  success?: boolean;

  @Decimal({ about: 'How well, as POST /v1/cases takes it.', optional: true, min: 0, max: 1 })
  reward?: number;

  @TextList({ about: 'Tags.', max: 256, maxItems: 64, default: [] })
  tags!: string[];

  @Text({ about: 'Who recorded it; the importer unless given.', optional: true, min: 1, max: 256 })
  recorded_by?: string;

  @DateTime({ about: 'When it was recorded; now unless given.', optional: true })
  created_at?: string;

  @ListOf({ about: 'Secrets that were masked in it.', type: () => PackScreenedMember, optional: true, max: MAX_PLACES })
  screened?: PackScreenedMember[];
}

export class PackCandidate {
  @Uuid({ about: 'Its id, which it keeps.', optional: true })
  candidate_id?: string;

  @Text({ about: 'What the fact would be about.', min: 1, max: MAX_ENTITY })
  entity!: string;

  @Text({ about: 'Which fact of it.', min: 1, max: MAX_KEY })
  key!: string;

  @Text({ about: 'The value.', max: MAX_VALUE })
  value!: string;

  @Decimal({ about: 'How sure it is.', min: 0, max: 1 })
  confidence!: number;

  @Text({ about: 'What was looked for.', min: 1, max: 64, default: 'default' })
  profile!: string;

  @Documented({ about: 'Who found it: {name, version, ...}.', optional: true, schema: { type: 'object' } })
  extractor?: Extractor;

  @Choice({ about: 'How it stood where it comes from.', values: RESOLUTIONS, default: 'new' })
  resolution!: Resolution;

  @Documented({ about: 'The quotes it rests on.', optional: true, schema: { type: 'array' } })
  evidence?: unknown;

  @Text({ about: 'The session it was found in.', optional: true, nullable: true, max: 256 })
  session_id?: string | null;

  @Text({
    about: 'The day of that session.',
    optional: true,
    nullable: true,
    pattern: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
    max: 10,
  })
  session_date?: string | null;

  @Text({ about: 'Who had it found; the importer unless given.', optional: true, min: 1, max: 256 })
  created_by?: string;

  @DateTime({ about: 'When it was found; now unless given.', optional: true })
  created_at?: string;

  @ListOf({ about: 'Secrets that were masked in it.', type: () => PackScreenedSpan, optional: true, max: MAX_PLACES })
  screened?: PackScreenedSpan[];
}
