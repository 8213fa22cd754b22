import { Module } from '@nestjs/common';
import { EmbeddingsModule } from '../../../common/embeddings/embeddings.module.js';
import { MemoryEmbeddingService } from './memory-embedding.service.js';
import { MemoryEmbeddingStore } from './memory-embedding.store.js';
import { VectorSpaceKeeper } from './vector-space-keeper.service.js';

/** The writing side of the vectors of the memory, for processes that work on jobs. See docs/embeddings.md. */
@Module({
  imports: [EmbeddingsModule],
  providers: [MemoryEmbeddingService, MemoryEmbeddingStore, VectorSpaceKeeper],
})
export class MemoryEmbeddingModule {}
