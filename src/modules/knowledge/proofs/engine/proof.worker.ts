import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { JobResult, JobWithMetadata } from 'pg-boss';
import { Jobs } from '../../../../common/jobs/jobs.js';
import { LOG, type Log } from '../../../../common/observability/log.js';
import { Problem } from '../../../../common/problem/problem.js';
import type { ProofTask } from './proof-job.types.js';
import { ProofRunService } from './proof-run.service.js';

/** Proofs that one process makes at once. */
const CONCURRENCY = 2;
/**
 * NOTIFY wakes the workers for new jobs; full batches are followed by the next without pause, and jobs that come back
 * are looked for this often.
 */
const OPTIONS = { batchSize: 10, burstWhenBatchFull: true };

/**
 * Takes proof jobs from the queue. A job's failure is its own; one that no attempt could end is failed with the reason
 * of the last.
 */
@Injectable()
export class ProofWorker implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly proofs: ProofRunService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const options = { ...OPTIONS, localConcurrency: CONCURRENCY, perJobResults: true };
    await this.jobs.work<ProofTask>('proof', options, async (batch) => {
      const results: JobResult[] = [];
      for (const job of batch) results.push(await this.attempt(job));
      return results;
    });
    await this.jobs.work<ProofTask>('proof.dead', OPTIONS, async (batch) => {
      for (const { data } of batch) {
        await this.proofs.giveUp(data, 'The job was lost with its worker, again and again; make a new one');
      }
    });
  }

  /** The last attempt that ends with an error says why; one that is killed leaves it to the dead letter queue. */
  private async attempt({ id, data, retryCount, retryLimit }: JobWithMetadata<ProofTask>): Promise<JobResult> {
    const failure = await this.proofs.run(data).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (failure === undefined) return { id, status: 'completed' };
    const { error } = failure;
    const facts = { tenant: data.tenantId, proof_job: data.jobId, attempt: retryCount + 1, error };
    this.log.warn(facts, 'a proof job failed');
    if (retryCount >= retryLimit) await this.proofs.giveUp(data, reasonOf(error));
    return { id, status: 'failed', output: { message: error instanceof Error ? error.message : String(error) } };
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Problem ? error.message || error.kind.title : 'An internal error, recorded in the log of the server';
