import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import type { PageQuery } from '../../../common/fields/page.dto.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { HomeList } from './agents-list.dto.js';
import { AgentsListViews } from './agents-list.views.js';

/** Lists the agents of a tenant, so that one that comes back can find out who it was. */
@Injectable()
export class AgentsListService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly agents: AgentsListViews,
  ) {}

  list({ tenantId }: TenantCaller, { limit, cursor }: PageQuery): Promise<HomeList> {
    const after = decodeCursor(cursor, ['integer', 'text']);
    return this.tenancy.run(tenantId, async () => {
      const rows = await this.agents.list(after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, ({ at, agentId }) => [at, agentId]);
      const agents = page.map(({ agentId, at, kind }) => {
        return { agentId, lastActiveAt: new Date(Math.floor(at / 1000)).toISOString(), lastActivity: kind };
      });
      return { agents, next_cursor };
    });
  }
}
