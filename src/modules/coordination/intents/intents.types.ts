/** Paths of one intent at most. */
export const MAX_PATHS = 32;
