import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { Jobs } from '../../common/jobs/jobs.js';
import { QUEUES } from '../../common/jobs/queues.js';
import { Metrics } from '../../common/observability/metrics.js';
import { Tenancy } from '../../common/tenancy/tenancy.js';
import { OperationsController } from './operations.controller.js';
import { OperationsService } from './operations.service.js';
import { ReadinessChecks } from './readiness.checks.js';

/** Health, readiness, metrics and build information: what those who run the server look at. */
@Module({
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [OperationsController],
  providers: [OperationsService, ReadinessChecks],
})
export class OperationsModule implements OnModuleInit {
  constructor(
    @Inject(Metrics) private readonly metrics: Metrics,
    private readonly tenancy: Tenancy,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.metrics.gauge(
      'svc_database_connections',
      'Connections of the pool for tenant work, by state.',
      ['state'],
      (gauge) => {
        const { totalCount, idleCount, waitingCount } = this.tenancy.pool;
        gauge.set({ state: 'busy' }, totalCount - idleCount);
        gauge.set({ state: 'idle' }, idleCount);
        gauge.set({ state: 'waiting' }, waitingCount);
      },
    );
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
