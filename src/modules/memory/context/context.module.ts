import { Module } from '@nestjs/common';
import { WorkModule } from '../../coordination/work/work.module.js';
import { SearchModule } from '../../knowledge/retrieval/search.module.js';
import { LayersModule } from '../../projects/layers/layers.module.js';
import { CasesModule } from '../cases/cases.module.js';
import { EngramsModule } from '../engrams/engrams.module.js';
import { FactsModule } from '../facts/facts.module.js';
import { AssemblyCache } from './assembly-cache.js';
import { ContextController } from './context.controller.js';
import { ContextGatherService } from './context-gather.service.js';
import { ContextService } from './context.service.js';

/** Contexts (memory-daemon.md 4.12; D46): what is known for a task, from whole items, within a budget of tokens. */
@Module({
  imports: [CasesModule, EngramsModule, FactsModule, LayersModule, SearchModule, WorkModule],
  controllers: [ContextController],
  providers: [AssemblyCache, ContextGatherService, ContextService],
  exports: [ContextService],
})
export class ContextModule {}
