import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Jobs } from '../../../../common/jobs/jobs.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { IndexStore } from '../index/index.store.js';
import { EmbeddingsClient } from './embeddings.client.js';
import { VectorsStore } from './vectors.store.js';

/** Passages to a request of the endpoint, and how long it may take. */
const BATCH = 64;
const TIMEOUT_MS = 30_000;
const ATTEMPTS = 4;

/** Embeds passages in the background, once they are searchable by their words. */
@Injectable()
export class EmbeddingService implements OnModuleInit {
  constructor(
    private readonly client: EmbeddingsClient,
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
    await this.jobs.send('index.embed', data, { singletonKey: shardId });
  }

  /**
   * Embeds every chunk of the shard that has no vector of the present model. A job that is killed goes on where it was.
   */
  async embedShard(tenantId: string, shardId: string): Promise<void> {
    for (;;) {
      const chunks = await this.tenancy.run(tenantId, () =>
        this.vectors.findUnembedded(shardId, this.client.model, BATCH),
      );
      if (chunks.length === 0) return;
      const texts = chunks.map(({ title, content }) => (title ? `${title}\n${content}` : content));
      const embedded = await this.client.embed(texts, { timeoutMs: TIMEOUT_MS, attempts: ATTEMPTS });
      await this.vectors.ensureIndex(embedded[0]!.length);
      await this.tenancy.run(tenantId, async () => {
        const shard = await this.index.findShard(shardId);
        if (!shard) return;
        const advanced = await this.index.advance(shard);
        const rows = chunks.map(({ chunkId }, i) => ({ chunkId, vector: embedded[i]! }));
        await this.vectors.record(advanced, this.client.model, rows);
      });
    }
  }
}
