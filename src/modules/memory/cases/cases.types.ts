/** A secret that was masked in a member of a case. */
export interface ScreenedMember {
  member: string;
  kind: string;
  start: number;
  end: number;
}

/** What a score is made of: score = (bm25 + vector) * reward * age (D44). */
export interface CaseScore {
  score: number;
  bm25: number;
  vector: number;
  rewardFactor: number;
  ageFactor: number;
}
