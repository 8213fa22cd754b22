import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EmbeddingsClient } from '../../../../common/embeddings/embeddings-client.js';
import { EmbeddingsUnavailable } from '../../../../common/embeddings/embeddings-answer.js';
import type { VectorSpace } from '../../../../common/embeddings/vector-space.types.js';
import { VectorSpaces } from '../../../../common/embeddings/vector-spaces.js';
import { Jobs } from '../../../../common/jobs/jobs.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { IndexStore } from '../index/index.store.js';
import { VectorsStore, type UnembeddedChunk, type VersionKey } from './vectors.store.js';

/** How long a request of the endpoint may take. */
const TIMEOUT_MS = 30_000;
const ATTEMPTS = 4;
/** What a process without workers may take to make vectors itself, and when workers look for what it left. */
const MAX_OWN_MS = 5_000;
const OWN_START_SECONDS = 6;

/** Embeds passages once they are searchable by their words: in the background, or for who waits for it. */
@Injectable()
export class EmbeddingService implements OnModuleInit {
  constructor(
    private readonly client: EmbeddingsClient,
    private readonly spaces: VectorSpaces,
    private readonly vectors: VectorsStore,
    private readonly index: IndexStore,
    private readonly tenancy: Tenancy,
    private readonly jobs: Jobs,
  ) {}

  async onModuleInit(): Promise<void> {
    if (!this.client.isConfigured) return;
    await this.jobs.work<{ tenantId: string; shardId: string }>('index.embed', { batchSize: 1 }, async (jobs) => {
      for (const { data } of jobs) await this.embedShard(data.tenantId, data.shardId);
    });
  }

  /** Asks, inside the unit of work that adds chunks, that they be embedded. */
  async request(shardId: string): Promise<void> {
    if (!this.client.isConfigured) return;
    const data = { tenantId: this.tenancy.tenant, shardId };
    const options = this.jobs.working ? {} : { startAfter: OWN_START_SECONDS };
    await this.jobs.send('index.embed', data, { singletonKey: shardId, ...options });
  }

  /**
   * Embeds every chunk of the shard that has no vector of the present model. A job that is killed goes on where it was.
   */
  async embedShard(tenantId: string, shardId: string): Promise<void> {
    for (;;) {
      const space = await this.spaces.filled();
      const chunks = await this.tenancy.run(tenantId, () =>
        this.vectors.findUnembedded({ shardId }, space.name, this.client.batch),
      );
      if (chunks.length === 0) return;
      await this.embed(space, { tenantId, chunks }, { timeoutMs: TIMEOUT_MS, attempts: ATTEMPTS });
    }
  }

  /**
   * Embeds passages of committed versions now, as many as `ms` and the endpoint allow; workers do the rest later.
   * @returns what there is afterwards
   */
  async embedNow(
    tenantId: string,
    versions: readonly VersionKey[],
    ms: number,
  ): Promise<{ passages: number; vectors: number; dimension: number }> {
    if (this.client.isConfigured)
      await this.embedUntil(performance.now() + Math.min(ms, MAX_OWN_MS), tenantId, versions);
    const space = await this.spaces.serving();
    return this.tenancy.run(tenantId, () => this.vectors.count(versions, space.name));
  }

  private async embedUntil(end: number, tenantId: string, versions: readonly VersionKey[]): Promise<void> {
    for (;;) {
      const timeoutMs = Math.floor(end - performance.now());
      if (timeoutMs <= 0) return;
      const space = await this.spaces.serving();
      const chunks = await this.tenancy.run(tenantId, () =>
        this.vectors.findUnembedded({ versions }, space.name, this.client.batch),
      );
      if (chunks.length === 0) return;
      try {
        await this.embed(space, { tenantId, chunks }, { timeoutMs, attempts: 1 });
      } catch (error) {
        if (error instanceof EmbeddingsUnavailable) return;
        throw error;
      }
    }
  }

  private async embed(
    space: VectorSpace,
    { tenantId, chunks }: { tenantId: string; chunks: readonly UnembeddedChunk[] },
    patience: { timeoutMs: number; attempts: number },
  ): Promise<void> {
    const texts = chunks.map(({ title, content }) => (title ? `${title}\n${content}` : content));
    const embedded = await this.spaces.embedTexts(space, texts, patience);
    await this.vectors.ensureIndex(embedded[0]!.length);
    const rows = chunks.map(({ chunkId, shardId }, i) => ({ chunkId, shardId, vector: embedded[i]! }));
    for (const [shardId, vectors] of Map.groupBy(rows, (row) => row.shardId))
      await this.tenancy.run(tenantId, async () => {
        const shard = await this.index.findShard(shardId);
        if (!shard) return;
        await this.vectors.record(await this.index.advance(shard), space.name, vectors);
      });
  }
}
