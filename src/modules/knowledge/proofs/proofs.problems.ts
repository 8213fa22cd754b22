import { problem } from '../../../common/problem/problem.js';

export class ProofJobUnknown extends problem<{ jobId: string }>(404, 'ProofJobUnknown', 'No such proof job') {}
export class AnswerUnknown extends problem<{ answerId: string }>(404, 'AnswerUnknown', 'No such answer') {}
export class ProofSubjectUnknown extends problem<{ subject: string | null }>(
  404,
  'ProofSubjectUnknown',
  'There is nothing of this name to prove',
) {}

export class ProofJobUnfinished extends problem<{ jobId: string; retryAfterSec: number }>(
  409,
  'ProofJobUnfinished',
  'The proof job has not ended yet',
  true,
) {}
export class ProofJobFailed extends problem<{ jobId: string }>(
  409,
  'ProofJobFailed',
  'The proof job ended without a receipt',
) {}

/** ProofCompatibilityError of tenant-api.md 2.1. */
export class UpstreamContractDrift extends problem<{ upstream: string; expected: string; available: string[] }>(
  502,
  'UpstreamContractDrift',
  'The proof upstream speaks another contract than this server',
) {}
export class UpstreamRefused extends problem<{ upstream: string; upstreamStatus: number }>(
  502,
  'UpstreamRefused',
  'The proof upstream did not accept a request of this server',
) {}
