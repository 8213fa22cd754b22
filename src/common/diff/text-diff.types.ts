/** On which side of a comparison words stand. */
export const DIFF_PARTS = ['same', 'added', 'removed'] as const;
