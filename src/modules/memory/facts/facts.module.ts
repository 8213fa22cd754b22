import { Module } from '@nestjs/common';
import { LeasesModule } from '../../coordination/leases/leases.module.js';
import { AggregatesController } from './aggregates.controller.js';
import { AggregatesService } from './aggregates.service.js';
import { AggregatesStore } from './aggregates.store.js';
import { FactActorsService } from './fact-actors.service.js';
import { FactActorsStore } from './fact-actors.store.js';
import { FactEvidenceService } from './fact-evidence.service.js';
import { FactImportsModule } from './fact-imports.module.js';
import { FactListStore } from './fact-list.store.js';
import { FactListsService } from './fact-lists.service.js';
import { FactQuarantineService } from './fact-quarantine.service.js';
import { FactReadStore } from './fact-read.store.js';
import { FactReadsService } from './fact-reads.service.js';
import { FactWritesController } from './fact-writes.controller.js';
import { FactWrites } from './fact-writes.js';
import { FactsController } from './facts.controller.js';
import { FactsService } from './facts.service.js';
import { FactSearchModule } from './fact-search/fact-search.module.js';

/**
 * Facts: key-value records with provenance, confidence and horizon, in append-only chains (memory-daemon.md 2.2, 4.2;
 * D36, D37).
 */
@Module({
  imports: [FactImportsModule, FactSearchModule, LeasesModule],
  controllers: [FactWritesController, AggregatesController, FactsController],
  providers: [
    FactsService,
    FactReadsService,
    FactListsService,
    AggregatesService,
    AggregatesStore,
    FactWrites,
    FactEvidenceService,
    FactReadStore,
    FactListStore,
    FactQuarantineService,
    FactActorsService,
    FactActorsStore,
  ],
  exports: [
    ...[FactsService, FactImportsModule, FactReadsService, FactListsService],
    ...[FactEvidenceService, FactQuarantineService],
  ],
})
export class FactsModule {}
