import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.js';
import { EconomyModule } from '../economy/economy.module.js';
import { ExpansionService } from './expansion.service.js';
import { IndexStore } from './index/index.store.js';
import { MergeService } from './index/merge.service.js';
import { SegmentCache } from './index/segment-cache.js';
import { SegmentLoader } from './index/segment-loader.service.js';
import { SnapshotsService } from './index/snapshots.service.js';
import { SnapshotsStore } from './index/snapshots.store.js';
import { IndexingService } from './indexing.service.js';
import { LastRetrievalsService } from './last-retrievals.service.js';
import { PassagesStore } from './passages.store.js';
import { RecordsStore } from './records.store.js';
import { RetrievalChargesService } from './retrieval-charges.service.js';
import { RetrievalEvidenceService } from './retrieval-evidence.service.js';
import { RetrievalController } from './retrieval.controller.js';
import { RetrievalService } from './retrieval.service.js';
import { SearchService } from './search.service.js';
import { EmbeddingService } from './vectors/embedding.service.js';
import { EmbeddingsClient } from './vectors/embeddings.client.js';
import { VectorSearchService } from './vectors/vector-search.service.js';
import { VectorsStore } from './vectors/vectors.store.js';

/**
 * Ranked retrieval: the inverted index in PostgreSQL, its merging, and POST /v1/retrieve in three lanes. Other rooms put documents into
 * the index by IndexingService and repeat retrievals by RetrievalService. See docs/retrieval.md.
 */
@Module({
  imports: [AgentsModule, EconomyModule],
  controllers: [RetrievalController],
  providers: [
    EmbeddingService,
    EmbeddingsClient,
    ExpansionService,
    IndexStore,
    IndexingService,
    LastRetrievalsService,
    MergeService,
    PassagesStore,
    RecordsStore,
    RetrievalChargesService,
    RetrievalEvidenceService,
    RetrievalService,
    SearchService,
    SegmentCache,
    SegmentLoader,
    SnapshotsService,
    SnapshotsStore,
    VectorSearchService,
    VectorsStore,
  ],
  exports: [IndexingService, RetrievalService],
})
export class RetrievalModule {}
