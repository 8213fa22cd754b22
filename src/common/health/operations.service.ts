import { Inject, Injectable, ServiceUnavailableException } from '@nestjs/common';
import {
  HealthCheckService,
  HealthIndicatorService,
  type HealthCheckResult,
  type HealthIndicatorResult,
} from '@nestjs/terminus';
import { readBuild } from '../build-info.js';
import { isDatabaseUnavailable } from '../database/unavailable.js';
import { LOG, type Log } from '../observability/log.js';
import type { BuildInfo, HealthSummary } from './operations.dto.js';
import { SHUTTING_DOWN, STOPPING } from '../http/stopping.js';
import { CheckRun } from './check-run.js';
import { DatabaseChecks, OwnChecks } from './readiness.checks.js';

/** Which app this is. */
export const SERVICE = Symbol('service');

@Injectable()
export class OperationsService {
  private readonly built = readBuild();
  private readonly runs: CheckRun[];

  constructor(
    @Inject(SERVICE) private readonly service: string,
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly database: DatabaseChecks,
    own: OwnChecks,
    @Inject(STOPPING) private readonly stopping: AbortSignal,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.runs = [...database.all(), ...own.all()].map(
      (check) => new CheckRun(check, { describe: (error) => this.describeFailure(check.name, error) }),
    );
  }

  /**
   * HealthSummary (tenant-api.md 2.2): degraded names every check that failed, the first of which usually explains the
   * rest.
   */
  async readiness(): Promise<HealthSummary> {
    const { service } = this;
    const failed = this.stopping.aborted ? [SHUTTING_DOWN] : await this.findFailed();
    const livez = { status: 'ok' };
    if (failed.length === 0) {
      const reason = await this.database.notice().catch(() => undefined);
      return { service, status: 'healthy', checks: { livez, readyz: { status: 'ok', ...(reason && { reason }) } } };
    }
    return {
      service,
      status: 'degraded',
      checks: { livez, readyz: { status: 'fail', reason: failed.join('; ') } },
    };
  }

  build(): BuildInfo {
    return { service: 'svc', ...this.built, tagUrl: null };
  }

  private async findFailed(): Promise<string[]> {
    const { error } = await this.runChecks();
    return Object.entries(error ?? {}).map(([name, fault]) => `${name}: ${String(fault?.reason)}`);
  }

  private async runChecks(): Promise<HealthCheckResult> {
    try {
      return await this.health.check(this.runs.map((run) => () => this.look(run)));
    } catch (error) {
      if (error instanceof ServiceUnavailableException) return error.getResponse() as HealthCheckResult;
      throw error;
    }
  }

  /** Anyone may ask: what failed goes to the log, with its addresses and paths. */
  private describeFailure(check: string, error: unknown): string {
    this.log.warn({ check, error }, 'a readiness check failed');
    return isDatabaseUnavailable(error)
      ? 'the database cannot be reached'
      : 'the check failed; its cause is in the log';
  }

  private async look(run: CheckRun): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check(run.check.name);
    const { ok, detail } = await run.read();
    return ok ? indicator.up() : indicator.down({ reason: detail });
  }
}
