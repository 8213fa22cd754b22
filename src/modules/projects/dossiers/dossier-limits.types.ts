/** Bounds of one dossier, whoever made it. */
export const MAX_CLAIMS = 500;
export const MAX_ANCHORS = 20;
/** Of all claims together. */
export const MAX_ALL_ANCHORS = 1_000;
/** Characters of a claim, a reason, a question. */
export const MAX_TEXT = 4_000;
export const MAX_QUESTIONS = 200;
/** Ids of each kind that it says to be based on. */
export const MAX_BASED_ON = 5_000;
