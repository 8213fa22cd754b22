import { Module } from '@nestjs/common';
import { EmbeddingsClient } from './embeddings-client.js';
import { VectorSpaces } from './vector-spaces.js';

/** The endpoint of SVC_EMBEDDINGS_URL, and the spaces of the vectors that it gave. */
@Module({ providers: [EmbeddingsClient, VectorSpaces], exports: [EmbeddingsClient, VectorSpaces] })
export class EmbeddingsModule {}
