import { Module } from '@nestjs/common';
import { RetrievalModule } from '../retrieval/retrieval.module.js';
import { AnswersModule } from './answers.module.js';
import { CitationsController } from './citations.controller.js';
import { CitationsService } from './citations.service.js';
import { SearchBehindGuard } from './search-behind.guard.js';

/**
 * Citations make answers: what an agent's answer rests on, held against the passages, kept with their digests and
 * receipted.
 * Proofs read answers from here.
 */
@Module({
  imports: [AnswersModule, RetrievalModule],
  controllers: [CitationsController],
  providers: [CitationsService, SearchBehindGuard],
  exports: [AnswersModule, CitationsService, SearchBehindGuard],
})
export class CitationsModule {}
