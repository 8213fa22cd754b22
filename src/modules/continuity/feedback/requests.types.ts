export const REQUEST_STATUSES = ['open', 'acknowledged', 'shipped', 'archived'] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

export const CATEGORIES = ['feature', 'improvement', 'bug', 'documentation', 'integration', 'other'] as const;
export type Category = (typeof CATEGORIES)[number];

export const REVIEW_DECISIONS = ['accept', 'decline', 'reopen'] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];
export type RequestAction = 'acknowledge' | 'ship' | 'archive' | ReviewDecision;

export interface RequestChange {
  action: 'submit' | RequestAction;
  from: RequestStatus | null;
  to: RequestStatus;
  principal: string;
  reason: string | null;
  note: string | null;
  at: string;
}

export interface FeedbackRequest {
  requestId: string;
  title: string;
  body: string;
  category: Category;
  agentId: string | null;
  status: RequestStatus;
  votes: number;
  /** Whether the principal that reads it has voted for it. */
  voted: boolean;
  submittedBy: string;
  submittedAt: Date;
  updatedAt: Date;
  history: RequestChange[];
}
