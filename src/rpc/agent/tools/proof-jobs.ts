import { setTimeout as sleep } from 'node:timers/promises';
import { idOf } from '../agent-ids.rules.js';
import type { Servers } from '../servers.js';

/** Of a proof job, what is shown. */
export interface ProofJob {
  jobId: string;
  status: 'queued' | 'running' | 'completed' | 'failed';
  verdict: string;
  credits: number;
  checks: { name: string; result: string; detail: string }[];
  driftCategories: string[];
  receiptId: string | null;
  error: string | null;
}

const LOOK_MS = 200;

/** The job once it has ended, or as it is after so many seconds. */
export async function awaitProof(job: ProofJob, seconds: number, servers: Servers): Promise<ProofJob> {
  const until = performance.now() + seconds * 1000;
  let now = job;
  while (now.status !== 'completed' && now.status !== 'failed' && performance.now() < until) {
    await sleep(LOOK_MS);
    now = (await servers.call<ProofJob>('api', 'GET /v1/proof/jobs/:id', { params: { id: job.jobId } })).body;
  }
  return now;
}

export function lineOfProof({ jobId, status, verdict, credits, error }: ProofJob): string {
  const id = idOf('proof', jobId);
  const cost = credits > 0 ? `, ${credits} credits` : '';
  if (status === 'failed') return `${id} failed: ${error ?? 'no reason was given'}`;
  if (status !== 'completed') return `${id} is ${status}${cost}; prove with this id waits on.`;
  return `${id}: ${verdict}${cost}.`;
}
