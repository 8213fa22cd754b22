import { Module } from '@nestjs/common';
import { ExpansionService } from './expansion.service.js';
import { FeedbackPassagesService } from './feedback-passages.service.js';
import { SegmentCache } from './index/segment-cache.js';
import { SegmentLoader } from './index/segment-loader.service.js';
import { SnapshotsService } from './index/snapshots.service.js';
import { SnapshotsStore } from './index/snapshots.store.js';
import { IndexingModule } from './indexing.module.js';
import { LaneSearchService } from './lane-search.service.js';
import { LedgersService } from './ledgers.service.js';
import { PassagesStore } from './passages.store.js';
import { RepeatedSearchService } from './repeated-search.service.js';
import { SearchService } from './search.service.js';
import { VectorSearchService } from './vectors/vector-search.service.js';

/** The reading side of the index: searches that record nothing, for retrievals and for services that repeat one. */
@Module({
  imports: [IndexingModule],
  providers: [
    ExpansionService,
    FeedbackPassagesService,
    LaneSearchService,
    LedgersService,
    PassagesStore,
    RepeatedSearchService,
    SearchService,
    SegmentCache,
    SegmentLoader,
    SnapshotsService,
    SnapshotsStore,
    VectorSearchService,
  ],
  exports: [LaneSearchService, LedgersService, RepeatedSearchService, SearchService],
})
export class SearchModule {}
