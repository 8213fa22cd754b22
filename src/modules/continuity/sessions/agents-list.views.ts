import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { ActivityKind } from './continuity.types.js';

export interface ActiveAgent {
  agentId: string;
  /** Microseconds since 1970. */
  at: number;
  kind: ActivityKind;
}

/** The agents that there are in the open unit of work's tenant. Triggers keep the rows: svc_note_activity. */
@Injectable()
export class AgentsListViews {
  constructor(private readonly tenancy: Tenancy) {}

  /** The last active first. */
  list(after: [at: number, agentId: string] | undefined, limit: number): Promise<ActiveAgent[]> {
    return this.tenancy.query<ActiveAgent>(
      `select agent_id as "agentId", (extract(epoch from last_active_at) * 1000000)::float8 as at, kind from agent_activity
       where tenant_id = $1 and ($2::float8 is null or (last_active_at, agent_id) < (timestamptz 'epoch' + $2 * interval '1 microsecond', $3::text))
       order by last_active_at desc, agent_id desc limit $4`,
      [this.tenancy.tenant, after?.[0] ?? null, after?.[1] ?? null, limit],
    );
  }
}
