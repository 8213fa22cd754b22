import { Module } from '@nestjs/common';
import { AcceptanceModule } from '../../knowledge/ingest/acceptance.module.js';
import { LocalIngestController } from './local-ingest.controller.js';
import { LocalIngestService } from './local-ingest.service.js';
import { LocalIngestStore } from './local-ingest.store.js';
import { SegmentCheck } from './segment-check.service.js';

/**
 * POST /v1/local/ingest: documents for the tenant's corpora, each call sealed as a segment that SegmentCheck hashes
 * again.
 */
@Module({
  imports: [AcceptanceModule],
  controllers: [LocalIngestController],
  providers: [LocalIngestService, LocalIngestStore, SegmentCheck],
  exports: [SegmentCheck],
})
export class LocalIngestModule {}
