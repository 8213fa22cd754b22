import { Module } from '@nestjs/common';
import { WatchesModule } from '../../continuity/watches/watches.module.js';
import { CitationsModule } from '../citations/citations.module.js';
import { ProofsModule } from '../proofs/proofs.module.js';
import { AnswerReadingService } from './answer-reading.service.js';
import { AnswerRecordingsController } from './answer-recordings.controller.js';
import { AnswerRecordingsService } from './answer-recordings.service.js';

/**
 * Answers as one thing over citations, proofs and watches: recorded, proven and watched by one call, and read with what
 * has become of them.
 */
@Module({
  imports: [CitationsModule, ProofsModule, WatchesModule],
  controllers: [AnswerRecordingsController],
  providers: [AnswerReadingService, AnswerRecordingsService],
})
export class AnswerRecordingsModule {}
