import { Module } from '@nestjs/common';
import { ScrubModule } from '../../../common/scrub/scrub.module.js';
import { ErasureAnnouncements } from './erasure-announcements.service.js';
import { ErasureController } from './erasure.controller.js';
import { ErasureRuns } from './erasure-runs.service.js';
import { ErasureService } from './erasure.service.js';
import { ErasureSweep } from './erasure.sweep.js';
import { IndexRewrites } from './index-rewrites.service.js';

/**
 * The erasure of a subject with proof (D55): everything that holds its content goes, the log keeps digests that nobody
 * can guess, and a list outside the database keeps a restore from bringing it back.
 */
@Module({
  imports: [ScrubModule],
  controllers: [ErasureController],
  providers: [ErasureService, ErasureRuns, ErasureAnnouncements, IndexRewrites, ErasureSweep],
  exports: [ErasureAnnouncements],
})
export class ErasureModule {}
