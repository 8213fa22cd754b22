import { Module } from '@nestjs/common';
import { AgentsModule } from '../../access/agents/agents.module.js';
import { EconomyModule } from '../../economy/ledger/economy.module.js';
import { MergeService } from './index/merge.service.js';
import { IndexingModule } from './indexing.module.js';
import { LastRetrievalsService } from './last-retrievals.service.js';
import { RecordsStore } from './records.store.js';
import { RetrievalChargesService } from './retrieval-charges.service.js';
import { RetrievalEvidenceService } from './retrieval-evidence.service.js';
import { RetrievalController } from './retrieval.controller.js';
import { RetrievalService } from './retrieval.service.js';
import { SearchModule } from './search.module.js';
import { WarmUpService } from './warm-up.service.js';

/**
 * Ranked retrieval: the inverted index in PostgreSQL, its merging, and POST /v1/retrieve in three lanes. Other modules
 * put documents into the index by IndexingService and repeat retrievals by LaneSearchService. See docs/retrieval.md.
 */
@Module({
  imports: [AgentsModule, EconomyModule, IndexingModule, SearchModule],
  controllers: [RetrievalController],
  providers: [
    LastRetrievalsService,
    MergeService,
    RecordsStore,
    RetrievalChargesService,
    RetrievalEvidenceService,
    RetrievalService,
    WarmUpService,
  ],
  exports: [IndexingModule, RetrievalService, SearchModule],
})
export class RetrievalModule {}
