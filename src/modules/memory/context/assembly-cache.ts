import { Injectable } from '@nestjs/common';
import { type ByteCache, CacheBudget } from '../../../common/caches/cache-budget.js';
import { plainSize } from '../../../common/caches/plain-size.rules.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { WholeContext } from './context.types.js';

/** For what changes with time alone: confidence, validity, age. */
const MS = 60_000;

interface Kept {
  /** What was committed when the items were looked for. */
  snapshot: string;
  context: WholeContext;
}

/**
 * Assembled contexts, each as long as the tenant has no event that was committed after what it was made of: everything
 * that a context is made of leaves one when it changes.
 */
@Injectable()
export class AssemblyCache {
  private readonly kept: ByteCache<Kept>;

  constructor(
    private readonly tenancy: Tenancy,
    budget: CacheBudget,
  ) {
    this.kept = budget.open<Kept>('contexts', plainSize, MS);
  }

  /** What is committed now; taken before the items are looked for, so that a later change is never missed. */
  snapshot(tenantId: string): Promise<string> {
    return this.tenancy.run(tenantId, async () => {
      const [row] = await this.tenancy.query<{ snapshot: string }>('select pg_current_snapshot()::text as snapshot');
      return row!.snapshot;
    });
  }

  async find(tenantId: string, key: string): Promise<WholeContext | undefined> {
    const kept = this.kept.get(key);
    if (!kept) return undefined;
    const isStale = await this.tenancy.run(tenantId, async () => {
      const [row] = await this.tenancy.query<{ changed: boolean }>(CHANGED, [tenantId, kept.snapshot]);
      return row!.changed;
    });
    if (!isStale) return { ...kept.context, isCached: true };
    this.kept.delete(key);
    return undefined;
  }

  keep(key: string, snapshot: string, context: WholeContext): void {
    this.kept.set(key, { snapshot, context });
  }
}

/** The index of the outbox by tenant and transaction answers it. */
const CHANGED = `
  select exists (select from outbox_event e where e.tenant_id = $1
    and e.transaction >= pg_snapshot_xmin($2::pg_snapshot) and not pg_visible_in_snapshot(e.transaction, $2::pg_snapshot)) as changed`;
