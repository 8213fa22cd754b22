import { Inject, Injectable, ServiceUnavailableException } from '@nestjs/common';
import {
  HealthCheckService,
  HealthIndicatorService,
  type HealthCheckResult,
  type HealthIndicatorResult,
} from '@nestjs/terminus';
import { readBuild } from '../../common/build-info.js';
import type { BuildInfo, HealthSummary } from './operations.dto.js';
import { DatabaseChecks, OwnChecks, type ReadinessCheck } from './readiness.checks.js';

/** Which app this is. */
export const SERVICE = Symbol('service');

@Injectable()
export class OperationsService {
  private readonly built = readBuild();

  constructor(
    @Inject(SERVICE) private readonly service: string,
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly database: DatabaseChecks,
    private readonly own: OwnChecks,
  ) {}

  /** HealthSummary (tenant-api.md 2.2): degraded names every check that failed, the first of which usually explains the rest. */
  async readiness(): Promise<HealthSummary> {
    const { service } = this;
    const result = await this.runChecks();
    const failed = Object.entries(result.error ?? {}).map(([name, fault]) => `${name}: ${String(fault?.reason)}`);
    const livez = { status: 'ok' };
    if (failed.length === 0) return { service, status: 'healthy', checks: { livez, readyz: { status: 'ok' } } };
    return {
      service,
      status: 'degraded',
      checks: { livez, readyz: { status: 'fail', reason: failed.join('; ') } },
    };
  }

  build(): BuildInfo {
    return { service: 'svc', ...this.built, tagUrl: null };
  }

  private async runChecks(): Promise<HealthCheckResult> {
    const checks = [...this.database.all(), ...this.own.all()];
    try {
      return await this.health.check(checks.map((check) => () => this.run(check)));
    } catch (error) {
      if (error instanceof ServiceUnavailableException) return error.getResponse() as HealthCheckResult;
      throw error;
    }
  }

  private async run({ name, find }: ReadinessCheck): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check(name);
    const fault = await find().catch((error: Error) => error.message || 'does not answer');
    return fault ? indicator.down({ reason: fault }) : indicator.up();
  }
}
