import { Module } from '@nestjs/common';
import { CitationsModule } from '../../knowledge/citations/citations.module.js';
import { JournalModule } from '../sessions/journal/journal.module.js';
import { OutboxModule } from '../../events/outbox/outbox.module.js';
import { RetrievalModule } from '../../knowledge/retrieval/retrieval.module.js';
import { EvaluationService } from './evaluation/evaluation.service.js';
import { EvaluationStore } from './evaluation/evaluation.store.js';
import { WatchWorker } from './evaluation/watch.worker.js';
import { WatchNames } from './watch-names.js';
import { WatchTargetsService } from './watch-targets.service.js';
import { WatchTargetsStore } from './watch-targets.store.js';
import { WatchesController } from './watches.controller.js';
import { WatchesService } from './watches.service.js';
import { WatchesStore } from './watches.store.js';

/**
 * Watches on answers, artifacts, documents and queries. What changes comes as events of the outbox; each change raises
 * one alert, which is listed, written into the journal of the agent and published as an event.
 */
@Module({
  imports: [CitationsModule, JournalModule, OutboxModule, RetrievalModule],
  controllers: [WatchesController],
  providers: [
    EvaluationService,
    EvaluationStore,
    WatchNames,
    WatchTargetsService,
    WatchTargetsStore,
    WatchWorker,
    WatchesService,
    WatchesStore,
  ],
  exports: [WatchesService],
})
export class WatchesModule {}
