import { Controller, Header } from '@nestjs/common';
import { ok, okBytes } from '../../common/contract/contract.js';
import { Metrics } from '../../common/observability/metrics.js';
import { InternalError } from '../../common/problem/problem.filter.js';
import { DaemonRoute } from '../../daemon/contract/daemon-route.decorator.js';
import { ManifestDocument } from '../../daemon/contract/manifest-document.js';
import { open } from '../../daemon/contract/scopes.js';
import { NonceService } from './nonce.service.js';
import { DaemonVersion, Liveness, Nonce } from './system.dto.js';
import { VersionService } from './version.service.js';

const tag = 'system';

@Controller()
export class SystemController {
  constructor(
    private readonly manifest: ManifestDocument,
    private readonly metrics: Metrics,
    private readonly versions: VersionService,
    private readonly nonces: NonceService,
  ) {}

  @DaemonRoute('GET /healthz', { tag, summary: 'Whether the process is alive', scopes: open(), reply: ok(Liveness) })
  async health(): Promise<Liveness> {
    return { status: 'ok' };
  }

  @DaemonRoute('GET /metrics', {
    tag,
    summary: 'Metrics in the Prometheus text format',
    description:
      'Among them svc_inflight_requests, svc_rate_limited_total, svc_segment_corrupt_total and svc_readiness_gate. SVCD_PUBLIC_PROBES_MINIMAL changes nothing here.',
    scopes: open(),
    reply: okBytes('text/plain; version=0.0.4; charset=utf-8'),
  })
  async scrape(): Promise<string> {
    return this.metrics.registry.metrics();
  }

  @DaemonRoute('GET /v1/openapi.json', {
    tag,
    summary: 'The route manifest, as an OpenAPI 3.1 document',
    scopes: open(),
    reply: okBytes('application/json; charset=utf-8'),
  })
  async readManifest(): Promise<string> {
    return JSON.stringify(this.manifest.document);
  }

  @DaemonRoute('GET /v1/version', {
    tag,
    summary: 'What this daemon is, and what it does by itself',
    description: 'Answered from memory, also while the database is away.',
    scopes: open(),
    reply: ok(DaemonVersion),
  })
  async readVersion(): Promise<DaemonVersion> {
    return this.versions.read();
  }

  @Header('cache-control', 'no-store')
  @DaemonRoute('POST /v1/sync/handshake/nonce', {
    tag: 'sync',
    summary: 'A nonce for the handshake of sync peers',
    description:
      'Random, kept as a digest, usable once within its time. Nobody has to say who they are, so no more than 10,000 are open at a time: then 503.',
    scopes: open(),
    reply: ok(Nonce),
    problems: [InternalError],
  })
  async issueNonce(): Promise<Nonce> {
    return this.nonces.issue();
  }
}
