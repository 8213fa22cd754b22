import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { anyone, ok, okBytes } from '../../common/contract/contract.js';
import { Route } from '../../common/contract/route.decorator.js';
import { Metrics } from '../../common/observability/metrics.js';
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
    summary: 'Whether the process is alive',
    access: anyone(),
    reply: ok(HealthStatus),
  })
  async health(): Promise<HealthStatus> {
    return { status: 'ok' };
  }

  @Route('GET /readyz', {
    tag: 'operations',
    summary: 'Whether the process can do its work',
    description:
      'Checks the database, the migrations and row-level security; the API besides its job queue and disk, the tool service besides that the API behind it is ready. 503 with the same body when one fails; checks.readyz.reason names it.',
    access: anyone(),
    reply: ok(HealthSummary),
  })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthSummary> {
    const summary = await this.operations.readiness();
    if (summary.status === 'degraded') void reply.status(503).header('retry-after', '1');
    return summary;
  }

  @Route('GET /metrics', {
    tag: 'operations',
    summary: 'Metrics in the Prometheus text format',
    access: anyone(),
    reply: okBytes('text/plain; version=0.0.4; charset=utf-8'),
  })
  async scrape(): Promise<string> {
    return this.metrics.registry.metrics();
  }

  @Route('GET /build-info', {
    tag: 'operations',
    summary: 'What was built, and when',
    access: anyone(),
    reply: ok(BuildInfo),
  })
  async build(): Promise<BuildInfo> {
    return this.operations.build();
  }
}
