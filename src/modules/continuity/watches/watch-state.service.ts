import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { WatchNames } from './watch-names.js';
import type { WatchRequest } from './watches.dto.js';
import { namedTarget } from './watches.rules.js';
import { WatchesStore } from './watches.store.js';

/** Says by the watches there have been whether a call is another one than before; also in processes without watches. */
@Injectable()
export class WatchStateService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: WatchesStore,
    private readonly names: WatchNames,
  ) {}

  /**
   * The newest watch on the same that has ended. One that still watches is none of it: the call itself made it, and a
   * repeat must find what the first call found.
   */
  readEnded(
    { tenantId, principal }: Pick<TenantCaller, 'tenantId' | 'principal'>,
    request: WatchRequest,
  ): Promise<string | null> {
    const target = namedTarget(request, this.names.keyOf(tenantId));
    if (!target) return Promise.resolve(null);
    const { agentId } = request;
    return this.tenancy.run(tenantId, () => this.store.findLastEnded({ principal, agentId, ...target }));
  }

  /** The newest watch that followed this one on the same. That this one has ended is the call's own effect. */
  readFollowing(tenantId: string, watchId: string): Promise<string | null> {
    return this.tenancy.run(tenantId, () => this.store.findLastFollowing(watchId));
  }
}
