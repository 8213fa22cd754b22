import { Module } from '@nestjs/common';
import { MemoryVectorsModule } from '../../vectors/memory-vectors.module.js';
import { FactIndexStore } from './fact-index.store.js';
import { FactIndexThreads } from './fact-index.threads.js';
import { FactIndexes } from './fact-indexes.service.js';
import { FactMeaningService } from './fact-meaning.service.js';
import { FactSegmentFlush } from './fact-segment-flush.service.js';
import { FactSegmentFlushStore } from './fact-segment-flush.store.js';
import { FactSearchService } from './fact-search.service.js';

/**
 * Ranked search over facts: segments that are flushed in the background, and FactSearchService for the routes. See
 * docs/decisions/0093.
 */
@Module({
  imports: [MemoryVectorsModule],
  providers: [
    FactIndexStore,
    FactIndexThreads,
    FactIndexes,
    FactMeaningService,
    FactSegmentFlush,
    FactSegmentFlushStore,
    FactSearchService,
  ],
  exports: [FactSearchService, FactSegmentFlush],
})
export class FactSearchModule {}
