import { Choice, Decimal, Integer, ListOf, Text, TextOrTexts, Uuid } from '../../../common/fields/fields.js';
import { BASE_VERSION } from './candidates.dto.js';
import { CANDIDATE_STATUSES, type CandidateStatus } from './candidates.types.js';

const MAX_REASON = 2_000;

export class RejectCandidate {
  @Text({ about: 'Why; it stays with the candidate.', min: 1, max: MAX_REASON })
  reason!: string;

  @Integer(BASE_VERSION)
  base_version?: number;
}

export class UndoPromotion {
  @Text({ about: 'Why; it stays with the candidate.', min: 1, max: MAX_REASON })
  reason!: string;
}

export class CandidatePromotedReply {
  @Uuid({ about: 'The candidate.' })
  candidate_id!: string;

  @Uuid({ about: 'The fact that was stored; null where the promotion retired one.', nullable: true })
  promoted_fact_id!: string | null;

  @Text({ about: '`svc.candidate.decision/1`.' })
  schema!: string;

  @Choice({ about: 'promoted.', values: CANDIDATE_STATUSES })
  status!: CandidateStatus;

  @Uuid({ about: 'The signed receipt of the decision.' })
  receipt_id!: string;
}

export class CandidateDecidedReply {
  @Uuid({ about: 'The candidate.' })
  candidate_id!: string;

  @Text({ about: '`svc.candidate.decision/1`.' })
  schema!: string;

  @Choice({ about: 'Its status now.', values: CANDIDATE_STATUSES })
  status!: CandidateStatus;

  @Uuid({ about: 'The signed receipt of the decision.' })
  receipt_id!: string;
}

const DECISIONS = ['promote', 'reject'] as const;

export class CandidateDecision {
  @Uuid({ about: 'The candidate.' })
  candidate_id!: string;

  @Choice({ about: 'What is decided.', values: DECISIONS })
  decision!: (typeof DECISIONS)[number];

  @Text({ about: 'Why; needed to reject.', optional: true, min: 1, max: 2_000 })
  reason?: string;

  @Text({ about: 'Who looked at it.', optional: true, min: 1, max: 256 })
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

export class DecideCandidates {
  @ListOf({ about: 'The decisions; each is taken on its own.', type: () => CandidateDecision, min: 1, max: 100 })
  decisions!: CandidateDecision[];
}

export class CandidateDecisionResult {
  @Uuid({ about: 'The candidate.' })
  candidate_id!: string;

  @Integer({ about: 'The status that the decision alone would have been answered with: 200, 400, 404, 409 or 422.' })
  status_code!: number;

  @Choice({ about: 'Its status now, where it was decided.', values: CANDIDATE_STATUSES, optional: true })
  status?: CandidateStatus;

  @Uuid({ about: 'The fact that was stored.', optional: true })
  promoted_fact_id?: string;

  @Uuid({ about: 'The signed receipt of the decision.', optional: true })
  receipt_id?: string;

  @Text({ about: 'What kept it from being decided: the code of that problem.', optional: true })
  code?: string;

  @Text({ about: 'What to do.', optional: true })
  detail?: string;
}

export class CandidateDecisionsReply {
  @Text({ about: '`svc.candidate.decisions/1`.' })
  schema!: string;

  @ListOf({ about: 'One result a decision, in their order.', type: () => CandidateDecisionResult })
  results!: CandidateDecisionResult[];

  @Integer({ about: 'How many were decided.', min: 0 })
  decided!: number;
}
