import { Module } from '@nestjs/common';
import { ScreeningModule } from '../../../common/screening/screening.module.js';
import { SessionImportsModule } from '../../governance/observe/session-imports.module.js';
import { CandidateImportsModule } from '../candidates/candidate-imports.module.js';
import { CaseImportsModule } from '../cases/case-imports.module.js';
import { EngramImportsModule } from '../engrams/engram-imports.module.js';
import { FactImportsModule } from '../facts/fact-imports.module.js';
import { GraphImportsModule } from '../graph/graph-imports.module.js';
import { RelationImportsModule } from '../relations/relation-imports.module.js';
import { PackExportStore } from './pack-export.store.js';
import { PackExportsService } from './pack-exports.service.js';
import { PackFactsService } from './pack-facts.service.js';
import { PackImportsService } from './pack-imports.service.js';
import { PackReadingService } from './pack-reading.service.js';
import { PackScreen } from './pack-screen.js';

/** What imports and exports memory packs in an open unit of work; for the daemon and for `svc memory`. */
@Module({
  imports: [
    FactImportsModule,
    GraphImportsModule,
    EngramImportsModule,
    RelationImportsModule,
    SessionImportsModule,
    CaseImportsModule,
    CandidateImportsModule,
    ScreeningModule,
  ],
  providers: [
    PackImportsService,
    PackReadingService,
    PackFactsService,
    PackScreen,
    PackExportsService,
    PackExportStore,
  ],
  exports: [PackImportsService, PackExportsService],
})
export class PackServicesModule {}
