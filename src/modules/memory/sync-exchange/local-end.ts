import type { Actor } from '../../../common/evidence-log/audit-trail.js';
import type { SyncManifestService } from '../sync/sync-manifest.service.js';
import type { SyncPagesService } from '../sync/sync-pages.service.js';
import type { SyncPromotionsService } from '../sync/sync-promotions.service.js';
import type { CollectionQuery, SyncRecord } from '../sync/sync-wire.types.js';
import type { Collection, SyncReach } from '../sync/sync.types.js';
import type { Diff, Known, Manifest, Page, SyncEnd, Taken, Unapplied } from './exchange.types.js';
import { isUnapplied } from './exchange.rules.js';

export interface LocalParts {
  readonly manifests: SyncManifestService;
  readonly pages: SyncPagesService;
  readonly promotions: SyncPromotionsService;
}

/** The memory of this daemon. */
export class LocalEnd implements SyncEnd {
  readonly requests = 0;

  constructor(
    private readonly parts: LocalParts,
    private readonly by: Actor,
    private readonly tenantId: string,
    private readonly reach: SyncReach,
  ) {}

  readManifest(): Promise<Manifest> {
    return this.parts.manifests.read(this.tenantId, this.reach);
  }

  readPage(collection: Collection, query: CollectionQuery): Promise<Page> {
    return this.parts.pages.page(this.tenantId, this.reach, collection, query);
  }

  compare(collection: Collection, items: readonly Known[], include_content: boolean): Promise<Diff> {
    return this.parts.pages.diff(this.tenantId, this.reach, collection, { items: [...items], include_content });
  }

  async take(records: readonly SyncRecord[], save: () => Promise<void>): Promise<Taken> {
    let unapplied: Unapplied[] = [];
    const { counts } = await this.parts.promotions.apply(this.by, this.tenantId, this.reach, records, async (rows) => {
      unapplied = rows.filter(isUnapplied);
      await save();
    });
    return { counts, unapplied };
  }
}
