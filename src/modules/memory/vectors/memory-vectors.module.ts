import { Module } from '@nestjs/common';
import { EmbeddingsModule } from '../../../common/embeddings/embeddings.module.js';
import { MemoryMeaningService } from './memory-meaning.service.js';
import { MemoryNearestService } from './memory-nearest.service.js';
import { MemoryVectorsStore } from './memory-vectors.store.js';

/** The reading side of the vectors of the memory: what is near to a query in meaning. See docs/embeddings.md. */
@Module({
  imports: [EmbeddingsModule],
  providers: [MemoryMeaningService, MemoryNearestService, MemoryVectorsStore],
  exports: [MemoryMeaningService, MemoryNearestService],
})
export class MemoryVectorsModule {}
