export const REQUEST_STATUSES = ['open', 'acknowledged', 'shipped', 'archived'] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

export const CATEGORIES = ['feature', 'improvement', 'bug', 'documentation', 'integration', 'other'] as const;
export type Category = (typeof CATEGORIES)[number];

export const REVIEW_DECISIONS = ['accept', 'decline', 'reopen'] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];
export const REQUEST_ACTIONS = ['acknowledge', 'ship', 'archive', ...REVIEW_DECISIONS] as const;
export type RequestAction = (typeof REQUEST_ACTIONS)[number];
