import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import { readBuild } from '../../common/build-info.js';
import type { BuildInfo, HealthSummary } from './operations.dto.js';
import { ReadinessChecks } from './readiness.checks.js';

@Injectable()
export class OperationsService {
  private readonly built = readBuild();

  constructor(
    private readonly health: HealthCheckService,
    private readonly checks: ReadinessChecks,
  ) {}

  /** HealthSummary (tenant-api.md 2.2): degraded names the first check that failed. */
  async readiness(): Promise<HealthSummary> {
    const result = await this.runChecks();
    const failed = Object.entries(result.error ?? {}).map(([name, fault]) => `${name}: ${String(fault?.reason)}`);
    const livez = { status: 'ok' };
    if (failed.length === 0) return { service: 'api', status: 'healthy', checks: { livez, readyz: { status: 'ok' } } };
    return {
      service: 'api',
      status: 'degraded',
      checks: { livez, readyz: { status: 'fail', reason: failed.join('; ') } },
    };
  }

  build(): BuildInfo {
    return { service: 'svc', ...this.built, tagUrl: null };
  }

  private async runChecks(): Promise<HealthCheckResult> {
    try {
      return await this.health.check(this.checks.all());
    } catch (error) {
      if (error instanceof ServiceUnavailableException) return error.getResponse() as HealthCheckResult;
      throw error;
    }
  }
}
