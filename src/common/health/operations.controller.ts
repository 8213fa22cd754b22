import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { anyone, ok, okBytes } from '../contract/contract.js';
import { Route } from '../contract/route.decorator.js';
import { Metrics } from '../observability/metrics.js';
import { BuildInfo, HealthStatus, HealthSummary } from './operations.dto.js';
import { OperationsService } from './operations.service.js';

@Controller()
export class OperationsController {
  constructor(
    private readonly operations: OperationsService,
    private readonly metrics: Metrics,
  ) {}

  @Route('GET /healthz', {
    tag: 'operations',
    summary: 'Check liveness',
    access: anyone(),
    reply: ok(HealthStatus),
  })
  async checkLiveness(): Promise<HealthStatus> {
    return { status: 'ok' };
  }

  @Route('GET /readyz', {
    tag: 'operations',
    summary: 'Check readiness',
    description:
      'Checks the database, the migrations and row-level security; the API also its job queue, signing key and disk, the tool service also that the API behind it is ready. 503 with the same body when one fails, and once the process is shutting down; checks.readyz.reason names it.',
    access: anyone(),
    reply: ok(HealthSummary),
  })
  async checkReadiness(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthSummary> {
    const summary = await this.operations.readiness();
    if (summary.status === 'degraded') void reply.status(503).header('retry-after', '1');
    return summary;
  }

  @Route('GET /metrics', {
    tag: 'operations',
    summary: 'Get metrics in the Prometheus text format',
    access: anyone(),
    reply: okBytes('text/plain; version=0.0.4; charset=utf-8'),
  })
  async readMetrics(): Promise<string> {
    return this.metrics.read();
  }

  @Route('GET /build-info', {
    tag: 'operations',
    summary: 'Get build information',
    access: anyone(),
    reply: ok(BuildInfo),
  })
  async readBuildInfo(): Promise<BuildInfo> {
    return this.operations.build();
  }
}
