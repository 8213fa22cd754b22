import { Inject, Module, type DynamicModule, type OnModuleInit, type Type } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { Metrics } from '../observability/metrics.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { OperationsController } from './operations.controller.js';
import { OperationsService, SERVICE } from './operations.service.js';
import { DatabaseChecks, OwnChecks } from './readiness.checks.js';

/** What is reported of one app. */
export interface OperatedApp {
  service: 'api' | 'tools';
  checks: Type<OwnChecks>;
  providers?: Type[];
}

/** Health, readiness, metrics and build information: what those who run the server look at. */
@Module({
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [OperationsController],
  providers: [OperationsService, DatabaseChecks],
})
export class OperationsModule implements OnModuleInit {
  static of({ service, checks, providers = [] }: OperatedApp): DynamicModule {
    return {
      module: OperationsModule,
      providers: [{ provide: SERVICE, useValue: service }, { provide: OwnChecks, useClass: checks }, ...providers],
    };
  }

  constructor(
    @Inject(Metrics) private readonly metrics: Metrics,
    private readonly tenancy: Tenancy,
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
  }
}
