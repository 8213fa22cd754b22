import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Jobs } from '../../../../common/jobs/jobs.js';
import { DrillsService } from './drills.service.js';
import type { DrillJob } from './drills.types.js';

/** Takes drills from the queue, one at a time. */
@Injectable()
export class DrillsWorker implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly drills: DrillsService,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.jobs.work<DrillJob>('shield.drill', { batchSize: 1 }, async ([job]) => {
      if (job) await this.drills.run(job.data);
    });
  }
}
