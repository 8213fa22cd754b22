import { Module } from '@nestjs/common';
import { FactIndexStore } from './fact-index.store.js';
import { FactIndexThreads } from './fact-index.threads.js';
import { FactIndexes } from './fact-indexes.service.js';
import { FactSealing } from './fact-sealing.service.js';
import { FactSealingStore } from './fact-sealing.store.js';
import { FactSearchService } from './fact-search.service.js';

/** Ranked search over facts: segments that are sealed in the background, and FactSearchService for the routes. See docs/decisions/0093. */
@Module({
  providers: [FactIndexStore, FactIndexThreads, FactIndexes, FactSealing, FactSealingStore, FactSearchService],
  exports: [FactSearchService, FactSealing],
})
export class FactSearchModule {}
