import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { WorkLinksService } from '../../coordination/work/work-links.service.js';
import { refsOf } from './github-events.rules.js';
import { GithubItemRow } from './github-item.entity.js';
import type { GithubItemList, GithubItemsQuery } from './integrations.dto.js';
import { itemOf } from './integrations.views.js';

/** Issues and pull requests as webhooks reported them, with the work that names them. */
@Injectable()
export class GithubItemsService {
  private readonly items: TenantRepository<GithubItemRow>;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly work: WorkLinksService,
    tenancy: Tenancy,
  ) {
    this.items = new TenantRepository(tenancy, GithubItemRow);
  }

  list(caller: DaemonCaller, { tenant_id, kind, state, limit, cursor }: GithubItemsQuery): Promise<GithubItemList> {
    const after = decodeCursor(cursor, ['text', 'integer', 'integer']);
    return this.tenants.run(caller, tenant_id, async () => {
      const order = { repository: 'asc', number: 'asc', repositoryId: 'asc' } as const;
      const rows = await this.items.list({ kind, state }, { order, after, take: limit + 1 });
      const { page, has_more, next_cursor } = takePage(rows, limit, (row) => [
        row.repository,
        row.number,
        row.repositoryId,
      ]);
      const linked = await this.work.linkedTo(page.flatMap(refsOf));
      const items = page.map((row) => itemOf(row, [...new Set(refsOf(row).flatMap((ref) => linked.get(ref) ?? []))]));
      return { items, count: items.length, has_more, next_cursor };
    });
  }
}
