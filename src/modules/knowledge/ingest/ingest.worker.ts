import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { JobResult, JobWithMetadata } from 'pg-boss';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { Jobs } from '../../../common/jobs/jobs.js';
import { RequestGroups } from '../../../common/tenancy/request-groups.js';
import { FileReadingService } from './files/file-reading.service.js';
import { IngestIndexingService } from './ingest-indexing.service.js';
import { JOBS_A_BATCH, type IngestJob, type IngestQueue } from './ingest.types.js';

/** How much later a document may be found where others of its tenant came just before, in milliseconds. */
const PASS_EVERY_MS = 100;

type JobsOfTenant = readonly JobWithMetadata<IngestJob>[];

/** Takes ingest jobs from the queues. A job's failure is its own: others of the batch, of any tenant, complete. */
@Injectable()
export class IngestWorker implements OnModuleInit {
  /**
   * A pass over one small document costs nearly what one over many does, and two of a tenant wait for each other's
   * locks: what arrives during a pass, and for a moment after it, goes with the next.
   */
  private readonly smallPasses = new RequestGroups<JobsOfTenant, JobResult[]>({
    take: ({ length }) => length,
    run: async (waiting) => {
      const results = new Map((await this.indexJobs(waiting.flat())).map((result) => [result.id, result]));
      return waiting.map((jobs) => jobs.map(({ id }) => results.get(id)!));
    },
    waitsForNone: true,
    everyMs: PASS_EVERY_MS,
  });

  constructor(
    private readonly jobs: Jobs,
    private readonly indexing: IngestIndexingService,
    private readonly files: FileReadingService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async onModuleInit(): Promise<void> {
    for (const queue of Object.keys(JOBS_A_BATCH) as IngestQueue[]) {
      await this.jobs.work<IngestJob>(
        queue,
        {
          batchSize: JOBS_A_BATCH[queue],
          burstWhenBatchFull: true,
          localConcurrency: this.settings.jobs.ingestConcurrency,
          perJobResults: true,
        },
        (batch) => this.indexBatch(queue, batch),
      );
    }
    await this.jobs.work<IngestJob>('ingest.dead', { batchSize: 1 }, async ([job]) => {
      if (!job) return;
      await this.files.giveUp(job.data.tenantId, job.data.ingestIds);
      await this.indexing.giveUp(job.data.tenantId, job.data.ingestIds);
    });
    const one = { batchSize: 1, localConcurrency: this.settings.jobs.ingestConcurrency };
    await this.jobs.work<IngestJob>('ingest.file', one, async ([job]) => {
      for (const ingestId of job?.data.ingestIds ?? []) await this.files.read(job!.data.tenantId, ingestId);
    });
  }

  private async indexBatch(queue: IngestQueue, batch: JobsOfTenant): Promise<JobResult[]> {
    const results: JobResult[] = [];
    const together = Map.groupBy(batch, ({ data, retryCount }) => JSON.stringify([data.tenantId, retryCount]));
    // Who has the least is not kept waiting by who has the most.
    const byDocuments = [...together].sort(([, left], [, right]) => documentsOf(left) - documentsOf(right));
    for (const [line, jobs] of byDocuments)
      results.push(...(await (queue === 'ingest' ? this.smallPasses.add(line, jobs) : this.indexJobs(jobs))));
    return results;
  }

  private async indexJobs(jobs: JobsOfTenant): Promise<JobResult[]> {
    const { data, retryCount } = jobs[0]!;
    const ingestIds = jobs.flatMap((job) => job.data.ingestIds);
    try {
      await this.indexing.index(data.tenantId, ingestIds, retryCount);
      return jobs.map(({ id }) => ({ id, status: 'completed' }));
    } catch (error) {
      // What is finished stays finished: the next attempt finds only the rest.
      const output = { message: error instanceof Error ? error.message : String(error) };
      return jobs.map(({ id }) => ({ id, status: 'failed', output }));
    }
  }
}

function documentsOf(jobs: JobsOfTenant): number {
  return jobs.reduce((sum, { data }) => sum + data.ingestIds.length, 0);
}
