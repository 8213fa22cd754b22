import {
  Choice,
  DateTime,
  Decimal,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
  TextOrTexts,
  Uuid,
} from '../../../common/fields/fields.js';
import { HasMore, NextCursor, PageCount, PageQuery } from '../../../common/fields/page.dto.js';
import {
  CANDIDATE_ACTIONS,
  CANDIDATE_STATUSES,
  type CandidateAction,
  type CandidateStatus,
  type Resolution,
  RESOLUTIONS,
  SOURCE_KINDS,
} from './candidates.types.js';

const MAX_CANDIDATE_VALUE = 65_536;

export class CandidatePath {
  @Uuid({ about: 'The candidate.' })
  id!: string;
}

export class CandidateQuery extends PageQuery {
  @Choice({ about: 'Only those in this status.', values: CANDIDATE_STATUSES, default: 'pending' })
  status!: CandidateStatus;

  @Text({
    about:
      'What is looked for, in words, among the newest 2,000 of the status; pending ones by meaning too where there are vectors. Best first, on one page.',
    optional: true,
    min: 1,
    max: 2_000,
  })
  query?: string;
}

export class ShownEvidence {
  @Choice({ about: 'What the quote is of: a text that was sent, or a fact.', values: SOURCE_KINDS })
  source_kind!: (typeof SOURCE_KINDS)[number];

  @Uuid({ about: 'The extraction that was given the text, or the fact.' })
  source_id!: string;

  @Integer({ about: 'Where the quote begins in the text as it was sent, in UTF-16 units.', min: 0 })
  start!: number;

  @Integer({ about: 'Where it ends.', min: 0 })
  end!: number;

  @Text({ about: 'The exact words; a credential among them is its kind in brackets.' })
  quote!: string;

  @Text({ about: '`blake3:<hex>` of the quote as it stands here.' })
  quote_blake3!: string;
}

export class ShownSecret {
  @Text({ about: 'What kind of credential it looked like.' })
  kind!: string;

  @Integer({ about: 'Where it began in the text as it was sent.', min: 0 })
  start!: number;

  @Integer({ about: 'Where it ended.', min: 0 })
  end!: number;
}

export class ShownExtractor {
  @Text({ about: '`patterns`, `model` or `consolidation`.' })
  name!: string;

  @Text({ about: 'The version of svc.' })
  version!: string;

  @Text({ about: 'The pattern, or what consolidation saw.', optional: true })
  pattern?: string;

  @Text({ about: 'The model that was asked.', optional: true })
  model?: string;

  @Text({ about: '`blake3:<hex>` of what it was asked.', optional: true })
  prompt_hash?: string;
}

/** A statement that may become a fact. */
export class Candidate {
  @Uuid({ about: 'Names it; null of a duplicate and in a dry run, which are not stored.', nullable: true })
  candidate_id!: string | null;

  @Choice({ about: 'What its promotion does: stores the value, or retires a fact.', values: CANDIDATE_ACTIONS })
  action!: CandidateAction;

  @Text({ about: 'What it is about.' })
  entity!: string;

  @Text({ about: 'Which fact of it.' })
  key!: string;

  @Text({ about: 'The value.' })
  value!: string;

  @Decimal({ about: 'How sure the extractor is, 0 to 1.' })
  confidence!: number;

  @Text({ about: 'The profile that found it, or `consolidation`.' })
  profile!: string;

  @Nested({ about: 'Who found it.', type: () => ShownExtractor })
  extractor!: ShownExtractor;

  @Choice({ about: 'Its status; null where it is not stored.', values: CANDIDATE_STATUSES, nullable: true })
  status!: CandidateStatus | null;

  @Choice({
    about: 'How it stood to facts, pending candidates and the same text when it was found.',
    values: RESOLUTIONS,
  })
  resolution!: Resolution;

  @ListOf({ about: 'What it rests on.', type: () => ShownEvidence })
  evidence!: ShownEvidence[];

  @Uuid({ about: 'The fact or candidate that says the same.', nullable: true })
  duplicate_of!: string | null;

  @TextList({ about: 'Facts and candidates of the same entity and key with another value.' })
  conflicts_with!: string[];

  @ListOf({ about: 'The credentials that were masked in it.', type: () => ShownSecret })
  screened!: ShownSecret[];

  @Text({ about: 'The session that it was said in.', nullable: true })
  session_id!: string | null;

  @Text({ about: 'The day of that session.', nullable: true })
  session_date!: string | null;

  @Uuid({ about: 'The fact that its promotion stored.', nullable: true })
  promoted_fact_id!: string | null;

  @Uuid({ about: 'The fact that its promotion retires.', nullable: true })
  target_fact_id!: string | null;

  @Integer({ about: 'Counts its changes from 1.', min: 1 })
  version!: number;

  @Uuid({ about: 'The receipt of its extraction.', nullable: true })
  receipt_id!: string | null;

  @Text({ about: 'The principal that sent the text.' })
  created_by!: string;

  @DateTime({ about: 'When it was found.' })
  created_at!: string;

  @Text({ about: 'The principal that decided.', nullable: true })
  decided_by!: string | null;

  @DateTime({ about: 'When.', nullable: true })
  decided_at!: string | null;

  @Text({ about: 'Who looked at it, as the request said.', nullable: true })
  reviewer!: string | null;

  @Text({ about: 'Why it was rejected, or its promotion undone.', nullable: true })
  reason!: string | null;
}

export class CandidateReply {
  @Text({ about: '`svc.candidate/1`.' })
  schema!: string;

  @Nested({ about: 'The candidate.', type: () => Candidate })
  candidate!: Candidate;
}

export class CandidateList {
  @Text({ about: '`svc.candidates/1`.' })
  schema!: string;

  @ListOf({ about: 'The candidates, newest first; with `query` the best first.', type: () => Candidate })
  candidates!: Candidate[];

  @PageCount()
  count!: number;

  @HasMore()
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

export const BASE_VERSION = {
  about: 'The version that the change is meant for: 409 when there is a later one.',
  ...{ optional: true, min: 1, max: 2 ** 31 - 1 },
};

export class ChangeCandidate {
  @Text({ about: 'Another entity.', optional: true, min: 1, max: 512 })
  entity?: string;

  @Text({ about: 'Another key.', optional: true, min: 1, max: 256 })
  key?: string;

  @Text({ about: 'Another value.', optional: true, min: 1, max: MAX_CANDIDATE_VALUE })
  value?: string;

  @Decimal({ about: 'Another confidence.', optional: true, min: 0, max: 1 })
  confidence?: number;

  @Integer(BASE_VERSION)
  base_version?: number;
}

export class PromoteCandidate {
  @Text({ about: 'Who looked at it. Needed below auto_threshold.', optional: true, min: 1, max: 256 })
  reviewer?: string;

  @Decimal({ about: 'Without a reviewer, how sure the extractor must be at least.', min: 0, max: 1, default: 0 })
  auto_threshold!: number;

  @TextOrTexts({
    about: 'The facts and candidates in conflict that it is to take the place of.',
    optional: true,
    maxItems: 50,
  })
  supersedes?: string | string[];

  @Integer(BASE_VERSION)
  base_version?: number;
}
