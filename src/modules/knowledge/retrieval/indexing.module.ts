import { Module } from '@nestjs/common';
import { EmbeddingsModule } from '../../../common/embeddings/embeddings.module.js';
import { IndexStore } from './index/index.store.js';
import { WrittenSegments } from './index/written-segments.js';
import { IndexingService } from './indexing.service.js';
import { EmbeddingService } from './vectors/embedding.service.js';
import { VectorsStore } from './vectors/vectors.store.js';

const INDEXING = [EmbeddingService, IndexStore, IndexingService, VectorsStore, WrittenSegments];

/** The writing side of the index, for processes that put documents in and answer no searches. */
@Module({ imports: [EmbeddingsModule], providers: INDEXING, exports: [...INDEXING, EmbeddingsModule] })
export class IndexingModule {}
