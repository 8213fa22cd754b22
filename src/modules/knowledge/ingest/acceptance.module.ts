import { Module } from '@nestjs/common';
import { IndexingModule } from '../retrieval/indexing.module.js';
import { AnalysisPool } from './analysis/analysis.pool.js';
import { ChunkIdKeys } from './analysis/chunk-id-keys.js';
import { ChunksStore } from './chunks.store.js';
import { DirectIngestService } from './direct-ingest.service.js';
import { DocumentQuarantineService } from './document-quarantine.service.js';
import { DocumentQuarantineStore } from './document-quarantine.store.js';
import { IngestBatchesStore } from './ingest-batches.store.js';
import { IngestIndexingService } from './ingest-indexing.service.js';
import { IngestIndexingStore } from './ingest-indexing.store.js';
import { IngestReceiptsService } from './ingest-receipts.service.js';
import { IngestStore } from './ingest.store.js';
import { VersionsService } from './versions.service.js';

const ACCEPTANCE = [
  AnalysisPool,
  ChunkIdKeys,
  ChunksStore,
  DirectIngestService,
  DocumentQuarantineService,
  DocumentQuarantineStore,
  IngestBatchesStore,
  IngestIndexingService,
  IngestIndexingStore,
  IngestReceiptsService,
  IngestStore,
  VersionsService,
];

/** How documents are counted, analysed and brought into search, without the routes and the worker of the tenant API. */
@Module({ imports: [IndexingModule], providers: ACCEPTANCE, exports: [...ACCEPTANCE, IndexingModule] })
export class AcceptanceModule {}
