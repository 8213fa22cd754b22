import type { DeclarationState, DeclarationVerdict } from './revenue.types.js';

const VERDICTS_FROM: Record<DeclarationState, readonly DeclarationVerdict[]> = {
  pending: ['accepted', 'rejected', 'needs_info'],
  needs_info: ['accepted', 'rejected'],
  accepted: [],
  rejected: [],
};

/** What a review may decide of a declaration. A decision that was made stands. */
export const verdictsFrom = (state: DeclarationState): readonly DeclarationVerdict[] => VERDICTS_FROM[state];
