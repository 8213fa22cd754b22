import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { EmbeddingsClient, EmbeddingsUnavailable } from '../../../../common/embeddings/embeddings-client.js';
import { LOG, type Log } from '../../../../common/observability/log.js';
import type { ShardSnapshot } from '../index/index.types.js';
import { nearest, VectorBlock } from './vector-block.js';
import { type NearChunk, VectorsStore } from './vectors.store.js';

/** How long a query waits for its embedding, and how long an endpoint that failed is left alone. */
const QUERY_TIMEOUT_MS = 2_000;
const PAUSE_MS = 5_000;
const REMEMBERED_QUERIES = 1_000;

export type VectorBackend = 'none' | 'exact' | 'pgvector' | 'unavailable';

/**
 * Search by meaning: in the database with pgvector, otherwise by comparing with every vector of the searched shards.
 */
@Injectable()
export class VectorSearchService {
  private readonly queries = new LRUCache<string, Float32Array>({ max: REMEMBERED_QUERIES });
  private readonly blocks: LRUCache<string, VectorBlock>;
  private pausedUntil = 0;

  constructor(
    private readonly client: EmbeddingsClient,
    private readonly vectors: VectorsStore,
    @Inject(SETTINGS) { retrieval }: Settings,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.blocks = new LRUCache<string, VectorBlock>({
      maxSize: retrieval.cacheBytes,
      sizeCalculation: (block) => block.byteSize,
    });
  }

  /** The query's vector; none without an endpoint, or while it fails: the words alone answer then. */
  async embedQuery(query: string): Promise<Float32Array | undefined> {
    if (!this.client.isConfigured || Date.now() < this.pausedUntil) return undefined;
    const known = this.queries.get(query);
    if (known) return known;
    try {
      const { vectors } = await this.client.embed([query], { timeoutMs: QUERY_TIMEOUT_MS, attempts: 1 });
      const [vector] = vectors;
      if (vector) this.queries.set(query, vector);
      return vector;
    } catch (error) {
      if (!(error instanceof EmbeddingsUnavailable)) throw error;
      this.pausedUntil = Date.now() + PAUSE_MS;
      this.log.warn({ error }, 'the embeddings endpoint did not answer; ranking by words alone');
      return undefined;
    }
  }

  /**
   * Offers the nearest chunks, nearest first, until `accept` says that it has enough. Chunks that are withdrawn may be
   * among them: only the
   * lexical index knows.
   */
  async search(
    reader: string,
    shards: readonly ShardSnapshot[],
    vector: Float32Array | undefined,
    limit: number,
    accept: (near: NearChunk) => boolean,
  ): Promise<VectorBackend> {
    if (!vector) return this.client.isConfigured ? 'unavailable' : 'none';
    const { model } = this.client;
    const hasPgvector = await this.vectors.hasPgvector();
    if (hasPgvector) {
      const ids = shards.map(({ shardId }) => shardId);
      (await this.vectors.findNearest(reader, ids, { model, vector }, limit)).every(accept);
    } else {
      const blocks = await Promise.all(shards.map((shard) => this.blockOf(reader, shard)));
      nearest(blocks, vector).every(accept);
    }
    return hasPgvector ? 'pgvector' : 'exact';
  }

  /**
   * The shard's vectors in memory, up to the snapshot's generation. Vectors are only added or, with their chunk,
   * withdrawn.
   */
  private async blockOf(reader: string, shard: ShardSnapshot): Promise<VectorBlock> {
    const known = this.blocks.get(shard.shardId);
    if (known && known.generation >= shard.generation) return known;
    const added = await this.vectors.findOfShard(reader, shard, this.client.model, known?.generation ?? 0);
    const block = VectorBlock.of(known, shard, added);
    this.blocks.set(shard.shardId, block);
    return block;
  }
}
