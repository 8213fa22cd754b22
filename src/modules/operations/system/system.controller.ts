import { Controller, Header } from '@nestjs/common';
import { anyone, ok, okBytes } from '../../../common/contract/contract.js';
import { Metrics } from '../../../common/observability/metrics.js';
import { InternalError } from '../../../common/problem/problem.filter.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { OpenApiDocuments } from '../../../common/contract/openapi.js';
import { NonceService } from './nonce.service.js';
import { DaemonVersion, Liveness, Nonce } from './system.dto.js';
import { VersionService } from './version.service.js';

const tag = 'system';

@Controller()
export class SystemController {
  constructor(
    private readonly documents: OpenApiDocuments,
    private readonly metrics: Metrics,
    private readonly versions: VersionService,
    private readonly nonces: NonceService,
  ) {}

  @Route('GET /healthz', { tag, summary: 'Check liveness', access: anyone(), reply: ok(Liveness) })
  async checkLiveness(): Promise<Liveness> {
    return { status: 'ok' };
  }

  @Route('GET /metrics', {
    tag,
    summary: 'Read metrics in the Prometheus text format',
    description:
      'Among them svc_inflight_requests, svc_rate_limited_total, svc_segment_corrupt_total and svc_readiness_gate. SVCD_PUBLIC_PROBES_MINIMAL changes nothing here.',
    access: anyone(),
    reply: okBytes('text/plain; version=0.0.4; charset=utf-8'),
  })
  async readMetrics(): Promise<string> {
    return this.metrics.read();
  }

  @Route('GET /v1/openapi.json', {
    tag,
    summary: 'Read the route manifest (OpenAPI 3.1)',
    access: anyone(),
    reply: okBytes('application/json; charset=utf-8', { type: 'object', examples: [{ openapi: '3.1.0' }] }),
    constant: true,
  })
  async readManifest(): Promise<string> {
    return JSON.stringify(this.documents.listed);
  }

  @Route('GET /v1/version', {
    tag,
    summary: 'Read version, schema and background jobs',
    description: 'Answered from memory, also while the database is away.',
    access: anyone(),
    reply: ok(DaemonVersion),
  })
  async readVersion(): Promise<DaemonVersion> {
    return this.versions.read();
  }

  @Header('cache-control', 'no-store')
  @Route('POST /v1/sync/handshake/nonce', {
    tag: 'sync',
    summary: 'Issue a nonce for sync peers',
    description:
      'For the handshake of sync peers (docs/formats/peer-requests.md); each accepted request brings the next one as x-svc-sync-nonce. Random, usable once within its time; kept, as a digest, from when it is used.',
    access: anyone(),
    reply: ok(Nonce),
    problems: [InternalError],
  })
  async issueNonce(): Promise<Nonce> {
    return this.nonces.issue();
  }
}
