import type { Right } from '../../client/rights.ts';
import type { ReviewQueue } from '../../generated/daemon/types.gen.ts';

export type ReviewItem = ReviewQueue['items'][number];

export const KINDS: Record<ReviewItem['kind'], string> = {
  candidate: 'Candidate',
  gate: 'Gate',
  approval: 'Approval',
  mint_request: 'Passport',
  access_request: 'Access request',
};

export const keyOf = ({ kind, id }: Pick<ReviewItem, 'kind' | 'id'>): string => `${kind}/${id}`;

export const addressOf = ({ kind, id }: ReviewItem): string => `/review/${kind}/${encodeURIComponent(id)}`;

/** Who decides on an item. */
const DECIDERS: Record<ReviewItem['kind'], Right> = {
  candidate: 'write',
  gate: 'write',
  approval: 'own',
  mint_request: 'administer',
  access_request: 'own',
};
export const deciderOf = ({ kind }: ReviewItem): Right => DECIDERS[kind];

/** Whether the route refuses a rejection without a reason. */
export const needsReason = ({ kind }: ReviewItem): boolean => kind === 'candidate' || kind === 'approval';

/** An approval of the shield says why, too. */
export const asksWhyApproved = ({ kind }: ReviewItem): boolean => kind === 'approval';

/** The item to show: the one that has the focus, else the one that took its place. */
export function shownItem(items: readonly ReviewItem[], focus: { key: string; index: number }): ReviewItem | undefined {
  return items.find((item) => keyOf(item) === focus.key) ?? items[Math.min(focus.index, items.length - 1)];
}
