import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { SHUTTING_DOWN, STOPPING } from '../../../common/http/stopping.js';
import { Metrics } from '../../../common/observability/metrics.js';
import { CheckRun } from '../../../common/health/check-run.js';
import type { CheckFinding } from '../../../common/health/check.js';
import type { GateCheck, Readiness, RoutingDetail } from './readiness.dto.js';
import type { Gate, GateName } from './readiness.types.js';
import { ShardMap } from '../../../common/routing/shard-map.js';

const CACHE_TTL_MS = 1_000;

/** The gates of this daemon, in their order. */
export const GATES = Symbol('gates');

/** What GET /readyz and the metrics report of the gates. */
@Injectable()
export class ReadinessService implements OnModuleInit {
  private readonly runs: CheckRun<GateName>[];
  private readonly reported = new Map<GateName, boolean>();

  constructor(
    @Inject(GATES) gates: Gate[],
    @Inject(LOG) private readonly log: Log,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly shards: ShardMap,
    private readonly metrics: Metrics,
    @Inject(STOPPING) private readonly stopping: AbortSignal,
  ) {
    this.runs = gates.map(
      (gate) => new CheckRun(gate, { cacheMs: CACHE_TTL_MS, onFinding: (finding) => this.report(gate.name, finding) }),
    );
  }

  onModuleInit(): void {
    this.metrics.gauge('svc_readiness_gate', '1 while the gate holds, 0 while it fails.', ['gate'], async (gauge) => {
      for (const { gate, ok } of await this.check()) gauge.set({ gate }, ok ? 1 : 0);
    });
  }

  /** For everybody: under SVCD_PUBLIC_PROBES_MINIMAL the status alone. */
  async read(): Promise<Readiness> {
    const readiness = await this.look();
    return this.settings.daemon.publicProbesMinimal ? { status: readiness.status } : readiness;
  }

  /** For who has the scopes to know. */
  async look(): Promise<Readiness & { checks: GateCheck[] }> {
    const checks = await this.check();
    const isStopping = this.stopping.aborted;
    const status = !isStopping && checks.every(({ ok }) => ok) ? 'ready' : 'not_ready';
    const { commitMode, maxInflight, rateLimitRps, rateLimitBurst } = this.settings.daemon;
    return {
      status,
      ...(isStopping ? { reason: SHUTTING_DOWN } : {}),
      checks,
      routing: await this.findRouting(),
      commit: { mode: commitMode },
      valve: {
        max_inflight: maxInflight,
        rate_limit_rps: rateLimitRps,
        rate_limit_burst: Math.max(rateLimitRps, rateLimitBurst),
      },
    };
  }

  private check(): Promise<GateCheck[]> {
    return Promise.all(
      this.runs.map(async (run) => {
        const { ok, detail, samples } = await run.read();
        return { gate: run.check.name, ok, detail, ...(samples.length > 0 ? { samples: [...samples] } : {}) };
      }),
    );
  }

  /** A change of a gate is logged. */
  private report(gate: GateName, { ok, detail, samples }: CheckFinding): void {
    if (ok === (this.reported.get(gate) ?? true)) return;
    this.reported.set(gate, ok);
    if (ok) this.log.info({ gate }, 'a readiness gate holds again');
    else this.log.warn({ gate, detail, samples }, 'a readiness gate fails');
  }

  private async findRouting(): Promise<RoutingDetail | undefined> {
    const routing = await this.shards.load().catch(() => undefined);
    if (!routing) return undefined;
    const { source, localShard, defaultShard, tenants } = routing;
    return { local_shard: localShard, default_shard: defaultShard, tenants, source };
  }
}
