import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import type { PageQuery } from '../../../common/fields/page.dto.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { StalePin } from './continuity.types.js';
import { HomesStore } from './journal/homes.store.js';
import type { StalePinList, StalePinRecord } from './stale-pins.dto.js';
import { StalePinsStore } from './stale-pins.store.js';

/** Pins whose source has changed since they were set. */
@Injectable()
export class StalePinsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly homes: HomesStore,
    private readonly store: StalePinsStore,
  ) {}

  list(caller: TenantCaller, agentId: string, { limit, cursor }: PageQuery): Promise<StalePinList> {
    const after = decodeCursor(cursor, ['text', 'text', 'integer']);
    return this.tenancy.run(caller.tenantId, async () => {
      const homeId = await this.homes.find(agentId);
      const rows = homeId === undefined ? [] : await this.store.find(homeId, after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.kind, row.name, row.ordinal]);
      return { stale_pins: page.map(recordOf), next_cursor };
    });
  }
}

export const recordOf = ({ ordinal: _, pinnedAt, ...pin }: StalePin): StalePinRecord => ({
  ...pin,
  pinnedAt: pinnedAt.toISOString(),
});
