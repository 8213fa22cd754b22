import { Module } from '@nestjs/common';
import { ScreeningModule } from '../../../common/screening/screening.module.js';
import { HoldImportsModule } from '../../governance/legal-holds/hold-imports.module.js';
import { CaseImportsModule } from '../cases/case-imports.module.js';
import { EngramImportsModule } from '../engrams/engram-imports.module.js';
import { FactImportsModule } from '../facts/fact-imports.module.js';
import { GraphImportsModule } from '../graph/graph-imports.module.js';
import { RelationImportsModule } from '../relations/relation-imports.module.js';
import { PeerEnds } from './peer-ends.service.js';
import { SyncApplyService } from './sync-apply.service.js';
import { SyncConflictsService } from './sync-conflicts.service.js';
import { SyncContentsService } from './sync-contents.service.js';
import { SyncIndexService } from './sync-index.service.js';
import { SyncLocalStore } from './sync-local.store.js';
import { SyncManifestService } from './sync-manifest.service.js';
import { SyncOffboardService } from './sync-offboard.service.js';
import { SyncPagesService } from './sync-pages.service.js';
import { SyncPagesStore } from './sync-pages.store.js';
import { SyncPromotionsService } from './sync-promotions.service.js';
import { SyncReadingService } from './sync-reading.service.js';
import { SyncRecordsStore } from './sync-records.store.js';
import { SyncRootsService } from './sync-roots.service.js';
import { SyncScreenService } from './sync-screen.service.js';
import { SyncTakeUpService } from './sync-take-up.service.js';
import { SyncTenantsStore } from './sync-tenants.store.js';
import { SyncWriterService } from './sync-writer.service.js';

/** Manifests, pages and promotions of tenant sync without routes; for the daemon, and for who talks to peers. */
@Module({
  imports: [
    ...[FactImportsModule, GraphImportsModule, EngramImportsModule, RelationImportsModule, CaseImportsModule],
    ...[HoldImportsModule, ScreeningModule],
  ],
  providers: [
    ...[SyncTenantsStore, SyncRecordsStore, SyncLocalStore, SyncPagesStore, SyncWriterService, SyncTakeUpService],
    ...[SyncApplyService, SyncIndexService, SyncContentsService, SyncRootsService, SyncScreenService],
    ...[SyncReadingService, SyncManifestService, SyncPagesService, SyncPromotionsService, SyncConflictsService],
    ...[SyncOffboardService, PeerEnds],
  ],
  exports: [
    ...[SyncIndexService, SyncManifestService, SyncPagesService, SyncPromotionsService, SyncConflictsService],
    ...[SyncOffboardService, PeerEnds],
  ],
})
export class SyncServicesModule {}
