import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../common/config/settings.js';
import { LOG, type Log } from '../../common/observability/log.js';
import { Metrics } from '../../common/observability/metrics.js';
import { GateRun } from './gate-run.js';
import type { GateCheck, Readiness, RoutingDetail } from './readiness.dto.js';
import type { Gate } from './readiness.types.js';
import { ShardMap } from '../../daemon/routing/shard-map.js';

/** The gates of this daemon, in their order. */
export const GATES = Symbol('gates');

/** What GET /readyz and the metrics tell of the gates. */
@Injectable()
export class ReadinessService implements OnModuleInit {
  private readonly runs: GateRun[];

  constructor(
    @Inject(GATES) gates: Gate[],
    @Inject(LOG) log: Log,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly shards: ShardMap,
    private readonly metrics: Metrics,
  ) {
    this.runs = gates.map((gate) => new GateRun(gate, log));
  }

  onModuleInit(): void {
    this.metrics.gauge('svc_readiness_gate', '1 while the gate holds, 0 while it fails.', ['gate'], async (gauge) => {
      for (const { gate, ok } of await this.check()) gauge.set({ gate }, ok ? 1 : 0);
    });
  }

  async read(): Promise<Readiness> {
    const checks = await this.check();
    const status = checks.every(({ ok }) => ok) ? 'ready' : 'not_ready';
    const { publicProbesMinimal, commitMode, maxInflight, rateLimitRps, rateLimitBurst } = this.settings.daemon;
    if (publicProbesMinimal) return { status };
    return {
      status,
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
        return { gate: run.gate.name, ok, detail, ...(samples?.length ? { samples: [...samples] } : {}) };
      }),
    );
  }

  private async findRouting(): Promise<RoutingDetail | undefined> {
    const routing = await this.shards.load().catch(() => undefined);
    if (!routing) return undefined;
    const { source, localShard, defaultShard, tenants } = routing;
    return { local_shard: localShard, default_shard: defaultShard, tenants, source };
  }
}
