import { Module } from '@nestjs/common';
import { RetrievalModule } from '../retrieval/retrieval.module.js';
import { AnalysisPool } from './analysis/analysis.pool.js';
import { ChunksStore } from './chunks.store.js';
import { DocumentsController } from './documents.controller.js';
import { DocumentsService } from './documents.service.js';
import { DocumentsStore } from './documents.store.js';
import { IngestIndexingService } from './ingest-indexing.service.js';
import { IngestIndexingStore } from './ingest-indexing.store.js';
import { IngestController } from './ingest.controller.js';
import { IngestService } from './ingest.service.js';
import { IngestStore } from './ingest.store.js';
import { IngestWorker } from './ingest.worker.js';

/**
 * Takes documents in: accepts them durably with a receipt, divides them into passages in worker threads, and puts
 * each version into search in place of the one before, in one transaction.
 */
@Module({
  imports: [RetrievalModule],
  controllers: [IngestController, DocumentsController],
  providers: [
    IngestService,
    IngestStore,
    IngestWorker,
    IngestIndexingService,
    IngestIndexingStore,
    AnalysisPool,
    ChunksStore,
    DocumentsService,
    DocumentsStore,
  ],
})
export class IngestModule {}
