import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { readBuild } from '../../../common/build-info.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { Scheduler, type ScheduledState } from '../../../common/scheduler/scheduler.js';
import { MIGRATIONS } from '../../../migrations/index.js';
import type { DaemonVersion, ScheduledJob } from './system.dto.js';

const LOOK_MS = 15_000;

/** What this daemon is, kept in memory so that reporting it costs nothing. */
@Injectable()
export class VersionService implements OnApplicationBootstrap {
  private readonly built = readBuild();
  private readonly startedAt = new Date().toISOString();
  private applied: string | null = null;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly tenancy: Tenancy,
  ) {}

  onApplicationBootstrap(): void {
    this.scheduler.every('schema_watch', LOOK_MS, () => this.lookAtSchema());
  }

  read(): DaemonVersion {
    const { version, commit, builtAt, tag } = this.built;
    const jobs = this.scheduler.list().map(jobOf);
    return {
      service: 'svc',
      version,
      build: { commit, built_at: builtAt, tag },
      schema: { name: MIGRATIONS.at(-1)!.name, applied: this.applied },
      scheduler: { state: jobs.some(({ state }) => state === 'failing') ? 'failing' : 'running', jobs },
      started_at: this.startedAt,
    };
  }

  private async lookAtSchema(): Promise<void> {
    try {
      const [row] = await this.tenancy.call<{ name: string }>('select name from migration order by id desc limit 1');
      this.applied = row?.name ?? null;
    } catch (error) {
      this.applied = null;
      throw error;
    }
  }
}

const jobOf = ({ name, state, everyMs, lastRunAt }: ScheduledState): ScheduledJob => ({
  name,
  state,
  every_ms: everyMs,
  last_run_at: lastRunAt?.toISOString() ?? null,
});
