import { SOURCE_STATES } from '../citations/source-states.types.js';

/**
 * The contract of the proof routes. Every answer bears it as `contract`, except a proof pack: that is a file of its own
 * format and bears it as `format`. An upstream whose answers name another contract is not understood (tenant-api.md 4.4
 * and 7).
 */
export const PROOF_CONTRACT = 'svc-proof/1';

export const PROOF_MODES = ['light', 'verified', 'audit'] as const;
export type ProofMode = (typeof PROOF_MODES)[number];
/** Credits a job costs, by the mode it is charged as. */
export const PROOF_PRICES: Record<ProofMode, number> = { light: 1, verified: 5, audit: 20 };

export const JOB_STATUSES = ['queued', 'running', 'completed', 'failed'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Before its end, whether the subject still holds, or that what was recorded is missing or altered. */
export const VERDICTS = ['pending', ...SOURCE_STATES, 'broken'] as const;
export type Verdict = (typeof VERDICTS)[number];

export const CHECK_RESULTS = ['ok', 'failed', 'not_applicable'] as const;
export type CheckResult = (typeof CHECK_RESULTS)[number];

export const SUBJECT_TYPES = ['answer', 'document', 'chunk', 'retrieval'] as const;
export type SubjectType = (typeof SUBJECT_TYPES)[number];

/** Which part of a job's passages: see PageQuery. */
export interface Page {
  limit: number;
  cursor?: string;
}
