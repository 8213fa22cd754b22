export const REQUEST_STATUSES = ['open', 'acknowledged', 'shipped', 'archived'] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

export const CATEGORIES = ['feature', 'improvement', 'bug', 'documentation', 'integration', 'other'] as const;
export type Category = (typeof CATEGORIES)[number];

export const REVIEW_DECISIONS = ['accept', 'decline', 'reopen'] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];
export type RequestAction = 'acknowledge' | 'ship' | 'archive' | ReviewDecision;
