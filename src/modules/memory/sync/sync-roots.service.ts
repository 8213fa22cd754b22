import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { boundedCache } from '../../../common/caches/bounded-cache.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { SyncPagesStore } from './sync-pages.store.js';
import { GrowingRoot } from './sync-root.rules.js';
import type { SyncTenant } from './sync-tenants.store.js';
import type { Collection, SyncReach } from './sync.types.js';

const MAX_ROOTS = 4096;
const DIGEST_BYTES = 32;
const A_TURN = 5000;

export interface CollectionRoot {
  readonly count: number;
  readonly position: number;
  /** 64 hexadecimal digits. */
  readonly root: string;
}

/** Roots of collections as far as one reaches, kept as long as nothing in the collection changes. */
@Injectable()
export class SyncRootsService {
  private readonly roots = boundedCache<CollectionRoot>(MAX_ROOTS);

  constructor(
    private readonly tenancy: Tenancy,
    private readonly pages: SyncPagesStore,
  ) {}

  /** In the open unit of work. */
  async read(tenant: SyncTenant, collection: Collection, reach: SyncReach): Promise<CollectionRoot> {
    const name = nameOf(this.tenancy.tenant, tenant, collection, reach);
    const known = this.roots.get(name);
    if (known?.position === (tenant.positions[collection] ?? 0)) return known;
    const { position, digests } = await this.pages.digests(collection, reach);
    const growing = GrowingRoot.empty();
    for (let at = 0; at < digests.length; at += DIGEST_BYTES) {
      growing.add(digests.subarray(at, at + DIGEST_BYTES));
      if (growing.count % A_TURN === 0) await nextTurn();
    }
    const root = { count: growing.count, position, root: growing.root };
    this.roots.set(name, root);
    return root;
  }
}

/** Positions of a restored database may come again under the origin that it then begins, not under this one. */
const nameOf = (
  tenantId: string,
  { origins }: SyncTenant,
  collection: Collection,
  { prefixes, collections }: SyncReach,
) =>
  JSON.stringify([
    ...[tenantId, origins[0], collection, prefixes === 'all' ? null : prefixes.toSorted()],
    collections === 'all' ? null : [...collections].sort(),
  ]);
