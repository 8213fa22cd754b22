import { Module } from '@nestjs/common';
import { WorkModule } from '../../coordination/work/work.module.js';
import { AnswersModule } from '../../knowledge/citations/answers.module.js';
import { FactsModule } from '../../memory/facts/facts.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { AnchoredStore } from './anchored.store.js';
import { AutoDossiersService } from './auto-dossiers.service.js';
import { ClaimStatesService } from './claim-states.service.js';
import { DossiersController } from './dossiers.controller.js';
import { DossiersService } from './dossiers.service.js';
import { DossiersStore } from './dossiers.store.js';
import { ProjectFactsService } from './project-facts.service.js';

/**
 * Dossiers: claims about a project, each anchored in facts, passages, receipts or work, whose state is found out at
 * each reading (memory-daemon.md 2.4, 4.10; D67).
 */
@Module({
  imports: [AnswersModule, FactsModule, ProjectsModule, WorkModule],
  controllers: [DossiersController],
  providers: [
    ...[AnchoredStore, ClaimStatesService, DossiersStore, DossiersService],
    ...[ProjectFactsService, AutoDossiersService],
  ],
  exports: [DossiersService, ProjectFactsService],
})
export class DossiersModule {}
