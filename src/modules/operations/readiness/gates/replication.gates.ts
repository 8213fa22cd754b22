import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { OperatorLook } from '../operator-look.js';
import { CheckFailed } from '../../../../common/health/check.js';
import type { Gate } from '../readiness.types.js';

const LOCAL = 'SVCD_COMMIT_MODE is local: a commit is durable in the one database';

/** Whether there is a PostgreSQL that can commit to standbys at all: the embedded one has none. */
@Injectable()
export class ReplicatedDataplaneGate implements Gate {
  readonly name = 'replicated_commit_dataplane';

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  async run(): Promise<string> {
    const { daemon, database } = this.settings;
    if (daemon.commitMode === 'local') return LOCAL;
    if (database.url) return 'an external PostgreSQL commits';
    throw new CheckFailed(
      'SVCD_COMMIT_MODE=replicated needs an external PostgreSQL with synchronous standbys (SVC_DATABASE_URL); the embedded one cannot replicate',
    );
  }
}

interface Topology {
  names: string;
  standbys: number;
  hidden: number;
}

/**
 * Whether a commit really waits for another server: a synchronous standby streams, and the daemon's own sessions wait
 * for it.
 */
@Injectable()
export class ReplicatedTopologyGate implements Gate {
  readonly name = 'replicated_commit_topology';

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly look: OperatorLook,
    private readonly tenancy: Tenancy,
  ) {}

  async run(): Promise<string> {
    const { daemon, database } = this.settings;
    if (daemon.commitMode === 'local') return LOCAL;
    if (!database.url) return 'there is no topology to look at: see replicated_commit_dataplane';
    const { names, standbys, hidden } = await this.look.at(async (query) => (await query<Topology>(TOPOLOGY))[0]!);
    const [session] = await this.tenancy.call<{ waits: string }>(
      `select current_setting('synchronous_commit') as waits`,
    );
    if (names === '')
      throw new CheckFailed('PostgreSQL has no synchronous_standby_names: no commit waits for a standby');
    if (session?.waits !== 'on' && session?.waits !== 'remote_apply')
      throw new CheckFailed(`synchronous_commit of the role svc_app is ${session?.waits}; set it to on`);
    if (standbys > 0) return `${standbys} synchronous standby(s) stream`;
    if (hidden > 0)
      throw new CheckFailed('pg_stat_replication is hidden: as a superuser, grant pg_monitor to svc_operator');
    throw new CheckFailed(`no synchronous standby streams (synchronous_standby_names is ${names})`);
  }
}

/** What a role without pg_monitor sees of a standby has no state. */
const TOPOLOGY = `
  select current_setting('synchronous_standby_names') as names,
    count(*) filter (where state = 'streaming' and sync_state in ('sync', 'quorum'))::int as standbys,
    count(*) filter (where pid is not null and sync_state is null)::int as hidden
  from pg_stat_replication`;
