import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Jobs } from '../jobs/jobs.js';
import { QUEUES } from '../jobs/queues.js';
import { Metrics } from '../observability/metrics.js';

/** How much waits in the job queues, for the metrics. */
@Injectable()
export class QueueDepths implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.metrics.gauge(
      'svc_jobs',
      'Jobs by queue and state, as the job queue last counted them.',
      ['queue', 'state'],
      async (gauge) => {
        await Promise.all(
          QUEUES.map(async ({ name }) => {
            const depth = await this.jobs.depth(name).catch(() => undefined);
            if (depth) for (const [state, count] of Object.entries(depth)) gauge.set({ queue: name, state }, count);
          }),
        );
      },
    );
  }
}
