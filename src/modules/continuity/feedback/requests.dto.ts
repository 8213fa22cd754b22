import { Choice, DateTime, Flag, Integer, ListOf, Nested, Text, Uuid } from '../../../common/fields/fields.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { TenantMember } from '../../../common/fields/shared-members.js';
import { OperatorAnswer } from './operator-answer.dto.js';
import {
  CATEGORIES,
  REQUEST_ACTIONS,
  REQUEST_STATUSES,
  REVIEW_DECISIONS,
  type Category,
  type RequestStatus,
  type ReviewDecision,
} from './requests.types.js';

const ACTIONS = ['submit', 'answer', ...REQUEST_ACTIONS] as const;
const REQUEST_ORDERS = ['newest', 'votes'] as const;
export type RequestOrder = (typeof REQUEST_ORDERS)[number];

export class RequestPath {
  @Uuid({ about: 'The request.' })
  id!: string;
}

export class FeedbackRequestSent {
  @TenantMember()
  tenantId?: string;

  @Text({ about: 'What is asked for, in one line.', min: 3, max: 200, example: 'Export proof packs as PDF' })
  title!: string;

  @Text({ about: 'What for, and how it would help.', min: 1, max: 10_000 })
  body!: string;

  @Choice({ about: 'What kind of request it is.', values: CATEGORIES, default: 'feature' })
  category!: Category;

  @Text({ about: 'The agent that asks, where one does.', optional: true, min: 1, max: 512 })
  agentId?: string;
}

export class RequestActionSent {
  @TenantMember()
  tenantId?: string;

  @Text({ about: 'Why; kept in the history.', optional: true, min: 1, max: 2000 })
  reason?: string;
}

export class RequestReviewSent {
  @TenantMember()
  tenantId?: string;

  @Choice({
    about: 'accept: open to acknowledged. decline: open or acknowledged to archived. reopen: archived to open.',
    values: REVIEW_DECISIONS,
  })
  decision!: ReviewDecision;

  @Text({ about: 'Why, for the requester.', min: 1, max: 2000 })
  reason!: string;

  @Text({ about: 'A remark for other reviewers.', optional: true, min: 1, max: 2000 })
  note?: string;
}

export class VoteSent {
  @TenantMember()
  tenantId?: string;

  @Flag({ about: 'Take the vote back instead.', default: false })
  withdraw!: boolean;
}

export class RequestChangeRecord {
  @Choice({ about: 'What was done.', values: ACTIONS })
  action!: (typeof ACTIONS)[number];

  @Choice({ about: 'Status before; null for the first.', values: REQUEST_STATUSES, nullable: true })
  from!: RequestStatus | null;

  @Choice({ about: 'Status after.', values: REQUEST_STATUSES })
  to!: RequestStatus;

  @Text({ about: 'Who: `key:`, `seat:` or `agent:` and an id, or `operator`: who runs the server.' })
  principal!: string;

  @Text({ about: 'Why.', nullable: true })
  reason!: string | null;

  @Text({ about: "A reviewer's remark.", nullable: true })
  note!: string | null;

  @DateTime({ about: 'When.' })
  at!: string;
}

export class FeedbackRequestRecord {
  @Uuid({ about: 'The request.' })
  requestId!: string;

  @Text({ about: 'What is asked for.' })
  title!: string;

  @Text({ about: 'What for.' })
  body!: string;

  @Choice({ about: 'What kind of request it is.', values: CATEGORIES })
  category!: Category;

  @Text({ about: 'The agent that asks.', nullable: true })
  agentId!: string | null;

  @Choice({ about: 'Where it stands.', values: REQUEST_STATUSES })
  status!: RequestStatus;

  @Integer({ about: 'Principals that have voted for it.', min: 0 })
  votes!: number;

  @Flag({ about: 'Whether the caller has voted for it.' })
  voted!: boolean;

  @Text({ about: 'Who submitted it.' })
  submittedBy!: string;

  @DateTime({ about: 'When it was submitted.' })
  submittedAt!: string;

  @DateTime({ about: 'When its status last changed.' })
  updatedAt!: string;

  @Nested({
    about: 'What the operator of the server last answered; null while nothing. The history has every answer.',
    nullable: true,
    type: () => OperatorAnswer,
  })
  operatorAnswer!: OperatorAnswer | null;

  @ListOf({ about: 'Every change of its status and every answer, oldest first.', type: () => RequestChangeRecord })
  history!: RequestChangeRecord[];
}

export class FeedbackRequestList {
  @ListOf({ about: 'Requests in the order asked for.', type: () => FeedbackRequestRecord })
  requests!: FeedbackRequestRecord[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class FeedbackRequestQuery extends PageQuery {
  @Choice({ about: 'Only this status.', values: REQUEST_STATUSES, optional: true })
  status?: RequestStatus;

  @Choice({ about: 'Only this category.', values: CATEGORIES, optional: true })
  category?: Category;

  @Text({ about: 'Only requests of this agent.', optional: true, min: 1, max: 512 })
  agentId?: string;

  @Flag({ about: 'Only what the caller submitted.', default: false })
  mine!: boolean;

  @Text({
    about: 'Only requests whose title or body has this text, upper and lower case alike.',
    optional: true,
    min: 1,
    max: 200,
  })
  q?: string;

  @Choice({
    about:
      'newest first, or by votes. Votes that come in while pages are read move requests, which may then be met twice or not at all.',
    values: REQUEST_ORDERS,
    default: 'newest',
  })
  order!: RequestOrder;
}

export class VoteRecord {
  @Uuid({ about: 'The request.' })
  requestId!: string;

  @Integer({ about: 'Principals that have voted for it now.', min: 0 })
  votes!: number;

  @Flag({ about: 'Whether the caller has voted for it.' })
  voted!: boolean;

  @Flag({
    about: 'Whether this changed anything: false when the caller had voted already, or had no vote to withdraw.',
  })
  changed!: boolean;
}
