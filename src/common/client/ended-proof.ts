import { setTimeout as sleep } from 'node:timers/promises';
import { ApiFailure, type ApiClient } from './api-client.js';
import type { ProofJobReply } from './api-replies.js';

const POLL_MS = 100;
const PROOF_MS = 60_000;

/**
 * Waits until a proof has its verdict.
 * @throws ApiFailure when the job fails or does not end within a minute
 */
export async function endedProof(client: ApiClient, ordered: ProofJobReply): Promise<ProofJobReply> {
  const deadline = performance.now() + PROOF_MS;
  for (let job = ordered; ; job = await client.get<ProofJobReply>(`/v1/proof/jobs/${job.jobId}`)) {
    if (job.status === 'completed') return job;
    if (job.status === 'failed') throw new ApiFailure(0, `The proof job failed: ${job.error ?? 'no reason given'}`);
    if (performance.now() > deadline)
      throw new ApiFailure(
        0,
        `The proof job is still ${job.status} after a minute. Does a process run with SVC_JOBS=1?`,
      );
    await sleep(POLL_MS);
  }
}
