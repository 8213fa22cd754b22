import {
  Choice,
  DateTime,
  Decimal,
  Flag,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
  Uuid,
} from '../../../common/fields/fields.js';
import { HasMore, PageQuery } from '../../../common/fields/page.dto.js';

const MAX_TEXT = 32_768;
const MAX_LINE = 8_192;

export class RecordCase {
  @Text({ about: 'What was to be done.', min: 1, max: MAX_LINE, example: 'Deploy the shop to staging' })
  task!: string;

  @Text({ about: 'What was done.', min: 1, max: MAX_TEXT, example: 'Ran deploy.sh with the flag --canary' })
  action!: string;

  @Text({ about: 'How it went.', min: 1, max: MAX_TEXT, example: 'Live after two minutes, no errors' })
  outcome!: string;

  @Text({ about: 'What it was done in: versions, places, constraints.', optional: true, max: MAX_TEXT })
  context?: string;

  @Text({ about: 'What to do, or not to do, the next time.', optional: true, min: 1, max: MAX_LINE })
  lesson?: string;

  @Flag({
    about: 'Whether it went well. Absent: a reward of at least 0.5 is a success; without a reward, true.',
    optional: true,
  })
  success?: boolean;

  @Decimal({
    about: 'How well, 0 to 1. Absent: 1 for a success, 0 for a failure.',
    optional: true,
    min: 0,
    max: 1,
  })
  reward?: number;

  @TextList({ about: 'Words to group it by.', optional: true, max: 120, maxItems: 50 })
  tags?: string[];

  @Text({ about: 'The receipt of what it was learnt from.', optional: true, min: 1, max: 512 })
  source_receipt?: string;
}

export class CasePath {
  @Uuid({ about: 'The case.' })
  id!: string;
}

export class CaseQuery extends PageQuery {
  @Text({ about: 'Only those with this tag.', optional: true, min: 1, max: 120 })
  tag?: string;

  @Flag({ about: 'Only those that went well (true), or that did not (false).', optional: true })
  success?: boolean;
}

export class RetrieveCases {
  @Text({ about: 'What is to be done.', min: 1, max: MAX_LINE, example: 'Deploy the shop to production' })
  task!: string;

  @Integer({ about: 'How many cases at most.', min: 1, max: 50, default: 3 })
  top_k!: number;

  @Flag({ about: 'Leave out what did not go well.', default: false })
  only_success!: boolean;
}

export class ScreenedSpan {
  @Text({ about: 'The member that it stood in.' })
  member!: string;

  @Text({ about: 'What kind of secret it was.' })
  kind!: string;

  @Integer({ about: 'Where it began in the text as it was sent, in UTF-16 units.' })
  start!: number;

  @Integer({ about: 'Where it ended.' })
  end!: number;
}

export class MemoryCase {
  @Uuid({ about: 'Its id.' })
  case_id!: string;

  @Text({ about: 'What was to be done.' })
  task!: string;

  @Text({ about: 'What was done.' })
  action!: string;

  @Text({ about: 'How it went.' })
  outcome!: string;

  @Text({ about: 'What it was done in; empty where nothing was said.' })
  context!: string;

  @Text({ about: 'What to do, or not to do, the next time.', nullable: true })
  lesson!: string | null;

  @Flag({ about: 'Whether it went well.' })
  success!: boolean;

  @Decimal({ about: 'How well, 0 to 1.' })
  reward!: number;

  @TextList({ about: 'Words to group it by.' })
  tags!: string[];

  @Text({ about: 'The receipt of what it was learnt from.', nullable: true })
  source_receipt!: string | null;

  @ListOf({ about: 'Secrets that were masked before it was stored.', type: () => ScreenedSpan })
  screened!: ScreenedSpan[];

  @Text({ about: 'BLAKE3 of the canonical JSON of its text, as its receipt has it.' })
  content_hash!: string;

  @Uuid({ about: 'The signed receipt of its recording.' })
  receipt_id!: string;

  @Flag({ about: 'True while an incident has it set aside: reads by its id alone find it.', optional: true })
  quarantined?: boolean;

  @Text({ about: 'Who recorded it.' })
  created_by!: string;

  @DateTime({ about: 'When it was recorded.' })
  created_at!: string;
}

export class CaseReply {
  @Choice({ about: 'The form of this answer.', values: ['svc.case/1'] })
  schema!: 'svc.case/1';

  @Nested({ about: 'The case.', type: () => MemoryCase })
  case!: MemoryCase;
}

export class CaseList {
  @Choice({ about: 'The form of this answer.', values: ['svc.cases/1'] })
  schema!: 'svc.cases/1';

  @ListOf({ about: 'The cases, newest first.', type: () => MemoryCase })
  cases!: MemoryCase[];

  @HasMore()
  has_more!: boolean;

  @Text({ about: 'Where the next page starts; null on the last one.', nullable: true })
  next_cursor!: string | null;
}

export class ScoreParts {
  @Decimal({ about: 'How well the words fit: BM25 over task, context and action.' })
  bm25!: number;

  @Decimal({ about: 'How near it is in meaning, in the measure of bm25; 0 without an embeddings endpoint.' })
  vector!: number;

  @Decimal({ about: '0.5 + reward / 2.' })
  reward_factor!: number;

  @Decimal({ about: 'From 1 for today to 0.5 for long ago; half of the way after 180 days.' })
  age_factor!: number;
}

export class FoundCase extends MemoryCase {
  @Decimal({ about: '(bm25 + vector) * reward_factor * age_factor.' })
  score!: number;

  @Nested({ about: 'What the score is made of.', type: () => ScoreParts })
  score_parts!: ScoreParts;
}

export class FoundCases {
  @Choice({ about: 'The form of this answer.', values: ['svc.found_cases/1'] })
  schema!: 'svc.found_cases/1';

  @ListOf({ about: 'The cases, best first; those that failed too, since they warn.', type: () => FoundCase })
  cases!: FoundCase[];
}

export class CaseDeleted {
  @Uuid({ about: 'The case.' })
  case_id!: string;

  @Flag({ about: 'Whether it is gone.' })
  deleted!: boolean;

  @Uuid({ about: 'The signed receipt of its deletion.' })
  receipt_id!: string;
}
