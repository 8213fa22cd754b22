import { Module } from '@nestjs/common';
import { EmbeddingsClient } from '../../../common/embeddings/embeddings-client.js';
import { IndexStore } from './index/index.store.js';
import { IndexingService } from './indexing.service.js';
import { EmbeddingService } from './vectors/embedding.service.js';
import { VectorsStore } from './vectors/vectors.store.js';

const INDEXING = [EmbeddingService, EmbeddingsClient, IndexStore, IndexingService, VectorsStore];

/** The writing side of the index, for processes that put documents in and answer no searches. */
@Module({ providers: INDEXING, exports: INDEXING })
export class IndexingModule {}
