import { Inject, Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { EmbeddingsUnavailable } from '../../../common/embeddings/embeddings-answer.js';
import { EmbeddingsClient } from '../../../common/embeddings/embeddings-client.js';
import { LogReader } from '../../../common/evidence-log/log-reader.js';
import { Restarts } from '../../../common/restarts.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { ReplicationService } from '../../memory/replication/replication.service.js';
import { ReadinessService } from '../../operations/readiness/readiness.service.js';
import { VersionService } from '../../operations/system/version.service.js';
import type { EmbeddingProbe, InfraSummary, Onboarding } from './console-infra.dto.js';
import { ConsoleSummaryStore } from './console-summary.store.js';
import { STEPS } from './onboarding-steps.js';

const PROBE_TEXT = 'A lighthouse stands on the rock.';
const PROBE_MS = 10_000;

/** What the console shows of the daemon itself. */
@Injectable()
export class ConsoleInfraService {
  private readonly log: LogReader;

  constructor(
    private readonly tenants: TenantResolver,
    tenancy: Tenancy,
    private readonly store: ConsoleSummaryStore,
    private readonly readiness: ReadinessService,
    private readonly versions: VersionService,
    private readonly replication: ReplicationService,
    private readonly restarts: Restarts,
    private readonly embeddings: EmbeddingsClient,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.log = new LogReader((sql, parameters) => tenancy.call(sql, parameters));
  }

  async summarise(caller: DaemonCaller): Promise<InfraSummary> {
    const figures = await this.tenants.run(caller, undefined, () => this.store.readDatabase());
    const { nodes } = await this.replication.listNodes(caller);
    const { status, checks } = await this.readiness.look();
    const { version, scheduler } = this.versions.read();
    const { bytes, connections, max_connections, streams, stream_events: events, segments } = figures;
    return {
      status,
      gates: checks.map(({ gate, ok }) => ({ gate, ok })),
      process: {
        ...{ pid: process.pid, version, uptime_seconds: Math.floor(process.uptime()) },
        ...{ memory_bytes: process.memoryUsage.rss(), supervised: this.restarts.isSupervised },
      },
      database: { bytes, connections, max_connections, pool_size: this.settings.database.poolSize },
      jobs: scheduler.jobs.map(({ name, state }) => ({ name, state })),
      streams: { streams, events, segments },
      log_size: (await this.log.findHead())?.size ?? null,
      replicas: nodes.map(({ node_id, last_seq, bytes: kept }) => ({ node_id, last_seq, bytes: kept })),
    };
  }

  /** One text of ours to the endpoint of the settings: a caller chooses neither. */
  async probe(): Promise<EmbeddingProbe> {
    const { isConfigured, model } = this.embeddings;
    if (!isConfigured) return NOT_CONFIGURED;
    const began = performance.now();
    const tookMs = (): number => Math.round(performance.now() - began);
    try {
      const { vectors } = await this.embeddings.embed([PROBE_TEXT], { timeoutMs: PROBE_MS, attempts: 1 });
      const dimension = vectors[0]!.length;
      return { status: 'ok', model, dimension, latency_ms: tookMs(), detail: `It gives vectors of ${dimension}.` };
    } catch (error) {
      if (!(error instanceof EmbeddingsUnavailable)) throw error;
      const detail = `${error.message}; look at SVC_EMBEDDINGS_URL, SVC_EMBEDDINGS_MODEL and the endpoint`;
      return { status: 'failed', model, dimension: null, latency_ms: tookMs(), detail };
    }
  }

  readOnboarding(): Onboarding {
    return { steps: STEPS.map((step) => ({ ...step })) };
  }
}

const NOT_CONFIGURED: EmbeddingProbe = {
  ...{ status: 'not_configured', model: null, dimension: null, latency_ms: null },
  detail: 'Search goes by words alone. Set SVC_EMBEDDINGS_URL and start the daemon again (docs/embeddings.md)',
};
