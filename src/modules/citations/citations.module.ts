import { Module } from '@nestjs/common';
import { RetrievalModule } from '../retrieval/retrieval.module.js';
import { CitationsController } from './citations.controller.js';
import { CitationsService } from './citations.service.js';
import { CitationsStore } from './citations.store.js';

/**
 * Citations make answers: what an agent's answer rests on, held against the passages, kept with their digests and receipted.
 * Proofs read answers from here.
 */
@Module({
  imports: [RetrievalModule],
  controllers: [CitationsController],
  providers: [CitationsService, CitationsStore],
  exports: [CitationsService],
})
export class CitationsModule {}
