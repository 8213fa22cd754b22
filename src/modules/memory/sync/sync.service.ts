import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import type { PageQuery } from '../../../common/fields/page.dto.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { SyncConflictsService } from './sync-conflicts.service.js';
import { SyncManifestService } from './sync-manifest.service.js';
import { SyncOffboardService } from './sync-offboard.service.js';
import { SyncPagesService } from './sync-pages.service.js';
import { SyncPromotionsService } from './sync-promotions.service.js';
import type { ConflictResolved, Offboarded, OffboardRequest, SyncConflictList } from './sync-answers.dto.js';
import { SyncOutOfReach } from './sync.problems.js';
import type { CollectionDiff, CollectionPage, CollectionQuery, DiffRequest } from './sync.dto.js';
import type { ManifestQuery, SyncManifest } from './sync-manifest.dto.js';
import type { PromotionConfirmed, PromotionPreview, PromotionRequest } from './sync-promotions.dto.js';
import type { Collection, SyncReach } from './sync.types.js';

export { Reach } from './reach.decorator.js';

/** Sync by way of the daemon: in the tenant that the address names, as far as the caller reaches. */
@Injectable()
export class SyncService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly manifests: SyncManifestService,
    private readonly pages: SyncPagesService,
    private readonly promotions: SyncPromotionsService,
    private readonly conflicts: SyncConflictsService,
    private readonly offboards: SyncOffboardService,
    private readonly outbox: Outbox,
  ) {}

  async readManifest(
    caller: DaemonCaller,
    tenantId: string,
    reach: SyncReach,
    query: ManifestQuery,
  ): Promise<SyncManifest> {
    await this.enterToRead(caller, tenantId, reach);
    return this.manifests.read(tenantId, reach, query);
  }

  async readPage(
    caller: DaemonCaller,
    tenantId: string,
    reach: SyncReach,
    collection: Collection,
    query: CollectionQuery,
  ): Promise<CollectionPage> {
    await this.enterToRead(caller, tenantId, reach, collection);
    return this.pages.page(tenantId, reach, collection, query);
  }

  async diff(
    caller: DaemonCaller,
    tenantId: string,
    reach: SyncReach,
    collection: Collection,
    body: DiffRequest,
  ): Promise<CollectionDiff> {
    await this.enterToRead(caller, tenantId, reach, collection);
    return this.pages.diff(tenantId, reach, collection, body);
  }

  /** Says how things stand here, so that it takes the right to read as well. */
  async preview(
    caller: DaemonCaller,
    tenantId: string,
    reach: SyncReach,
    body: PromotionRequest,
  ): Promise<PromotionPreview> {
    needs(reach.mayWrite, 'write');
    await this.enterToRead(caller, tenantId, reach);
    return this.promotions.preview(tenantId, reach, body);
  }

  async confirm(
    caller: DaemonCaller,
    tenantId: string,
    reach: SyncReach,
    body: PromotionRequest,
  ): Promise<PromotionConfirmed> {
    await this.enterToWrite(caller, tenantId, reach);
    const confirmed = await this.promotions.confirm(caller, tenantId, reach, body);
    this.outbox.announce();
    return confirmed;
  }

  async listConflicts(
    caller: DaemonCaller,
    tenantId: string,
    reach: SyncReach,
    query: PageQuery,
  ): Promise<SyncConflictList> {
    await this.enterToRead(caller, tenantId, reach);
    return this.conflicts.list(tenantId, reach, query);
  }

  async resolve(
    caller: DaemonCaller,
    tenantId: string,
    reach: SyncReach,
    choice: { key: string; digest: string },
  ): Promise<ConflictResolved> {
    await this.enterToWrite(caller, tenantId, reach);
    const resolved = await this.conflicts.resolve(caller, tenantId, reach, choice);
    this.outbox.announce();
    return resolved;
  }

  /** Takes a reach of everything: what goes is not bounded by prefixes. */
  async offboard(caller: DaemonCaller, tenantId: string, reach: SyncReach, body: OffboardRequest): Promise<Offboarded> {
    needs(reach.prefixes === 'all' && reach.collections === 'all', 'all collections and prefixes');
    await this.enterToWrite(caller, tenantId, reach);
    const offboarded = await this.offboards.offboard(caller, tenantId, body);
    this.outbox.announce();
    return offboarded;
  }

  private async enterToRead(
    caller: DaemonCaller,
    tenantId: string,
    { mayRead, collections }: SyncReach,
    collection?: Collection,
  ): Promise<void> {
    needs(mayRead, 'read');
    needs(
      collection === undefined || collections === 'all' || collections.has(collection),
      `the collection ${collection}`,
    );
    await this.tenants.enter(caller, tenantId);
  }

  /** A tenant that nobody wrote to yet is registered by it. */
  private async enterToWrite(caller: DaemonCaller, tenantId: string, { mayWrite }: SyncReach): Promise<void> {
    needs(mayWrite, 'write');
    await this.tenants.write(caller, tenantId, () => Promise.resolve());
  }
}

function needs(isGiven: boolean, needed: string): void {
  if (!isGiven)
    throw new SyncOutOfReach(
      { needed },
      `The peer, or its delegation, does not have ${needed} here; its row says what it has`,
    );
}
