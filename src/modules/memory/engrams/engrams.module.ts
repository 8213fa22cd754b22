import { Module } from '@nestjs/common';
import { ScreeningModule } from '../../../common/screening/screening.module.js';
import { WorkModule } from '../../coordination/work/work.module.js';
import { LayersModule } from '../../projects/layers/layers.module.js';
import { FactsModule } from '../facts/facts.module.js';
import { GraphModule } from '../graph/graph.module.js';
import { MemoryVectorsModule } from '../vectors/memory-vectors.module.js';
import { EngramFilesService } from './engram-files.service.js';
import { EngramImportsModule } from './engram-imports.module.js';
import { EngramLabelsService } from './engram-labels.service.js';
import { EngramReadsService } from './engram-reads.service.js';
import { EngramResolveService } from './engram-resolve.service.js';
import { EngramsController } from './engrams.controller.js';
import { EngramsService } from './engrams.service.js';
import { EngramsStore } from './engrams.store.js';
import { SessionInitController } from './session-init.controller.js';
import { SessionInitService } from './session-init.service.js';
import { SessionItemsService } from './session-items.service.js';

/** Engrams: instructions in versions that agents are given, as entities and as files (memory-daemon.md 4.6; D43). */
@Module({
  imports: [
    ScreeningModule,
    EngramImportsModule,
    GraphModule,
    FactsModule,
    LayersModule,
    WorkModule,
    MemoryVectorsModule,
  ],
  controllers: [EngramsController, SessionInitController],
  providers: [
    EngramsStore,
    EngramFilesService,
    EngramReadsService,
    EngramLabelsService,
    EngramsService,
    EngramResolveService,
    SessionItemsService,
    SessionInitService,
  ],
  exports: [EngramReadsService],
})
export class EngramsModule {}
