import { Injectable } from '@nestjs/common';
import { type ByteCache, CacheBudget } from '../../../../common/caches/cache-budget.js';
import { type QueryVector, VectorSpaces } from '../../../../common/embeddings/vector-spaces.js';
import type { ShardSnapshot } from '../index/index.types.js';
import { nearest, VectorBlock } from './vector-block.js';
import { type NearChunk, VectorsStore } from './vectors.store.js';

export type VectorBackend = 'none' | 'exact' | 'pgvector' | 'unavailable';

/**
 * Search by meaning: in the database with pgvector, otherwise by comparing with every vector of the searched shards.
 */
@Injectable()
export class VectorSearchService {
  private readonly blocks: ByteCache<VectorBlock>;

  constructor(
    private readonly spaces: VectorSpaces,
    private readonly vectors: VectorsStore,
    budget: CacheBudget,
  ) {
    this.blocks = budget.open('vectors', ({ byteSize }) => byteSize);
  }

  /** The query's vector; none without an endpoint, or while it fails: the words alone answer then. */
  embedQuery(query: string): Promise<QueryVector | undefined> {
    return this.spaces.embedQuery(query);
  }

  /**
   * Offers the nearest chunks, nearest first, until `accept` says that it has enough. Chunks that are withdrawn may be
   * among them: only the lexical index knows.
   */
  async search(
    reader: string,
    shards: readonly ShardSnapshot[],
    query: QueryVector | undefined,
    limit: number,
    accept: (near: NearChunk) => boolean,
  ): Promise<VectorBackend> {
    if (!query) return this.spaces.isConfigured ? 'unavailable' : 'none';
    const { vector } = query;
    const model = query.space.name;
    const hasPgvector = await this.vectors.hasPgvector();
    if (hasPgvector) {
      const ids = shards.map(({ shardId }) => shardId);
      (await this.vectors.findNearest(reader, ids, { model, vector }, limit)).every(accept);
    } else {
      const blocks = await Promise.all(shards.map((shard) => this.blockOf(reader, shard, model)));
      nearest(blocks, vector).every(accept);
    }
    return hasPgvector ? 'pgvector' : 'exact';
  }

  /**
   * The shard's vectors in memory, up to the snapshot's generation. Vectors are only added or, with their chunk,
   * withdrawn.
   */
  private async blockOf(reader: string, shard: ShardSnapshot, model: string): Promise<VectorBlock> {
    const name = `${shard.shardId} ${model}`;
    const known = this.blocks.get(name);
    if (known && known.generation >= shard.generation) return known;
    const added = await this.vectors.findOfShard(reader, shard, model, known?.generation ?? 0);
    const block = VectorBlock.of(known, shard, added);
    this.blocks.set(name, block);
    return block;
  }
}
