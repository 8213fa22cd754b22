import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { JobResult, JobWithMetadata } from 'pg-boss';
import { EmbeddingsClient } from '../../../../common/embeddings/embeddings-client.js';
import { EmbeddingsUnavailable } from '../../../../common/embeddings/embeddings-answer.js';
import type { VectorSpace } from '../../../../common/embeddings/vector-space.types.js';
import { VectorSpaces } from '../../../../common/embeddings/vector-spaces.js';
import { type JobOptions, Jobs } from '../../../../common/jobs/jobs.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { IndexStore } from '../index/index.store.js';
import { VectorsStore, type UnembeddedChunk, type VersionKey } from './vectors.store.js';

/** How long a request of the endpoint may take. */
const TIMEOUT_MS = 30_000;
const ATTEMPTS = 4;
/**
 * Of a job, in milliseconds: then others have their turn, and the job is sent again for what is left. The last of its
 * requests may begin just before.
 */
const SLICE_MS = 5_000;
/** What a passage is taken to last. */
const MS_A_PASSAGE = 50;
/** Together below the time that a job may take. Jobs of a shard that are taken together are one. */
const BATCHES = { batchSize: 5, burstWhenBatchFull: true, perJobResults: true };
/** What a process without workers may take to make vectors itself, and when workers look for what it left. */
const MAX_OWN_MS = 5_000;
const OWN_START_SECONDS = 6;

interface ShardJob {
  tenantId: string;
  shardId: string;
}

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
    await this.jobs.work<ShardJob>('index.embed', BATCHES, (jobs) => this.embedShards(jobs));
  }

  /** Asks, inside the unit of work that adds so many passages, that they be embedded. */
  async request(shardId: string, passages: number): Promise<void> {
    if (!this.client.isConfigured) return;
    await this.send(shardId, passages * MS_A_PASSAGE, this.jobs.working ? {} : { startAfter: OWN_START_SECONDS });
  }

  private async send(shardId: string, lastsMs: number, options: JobOptions = {}): Promise<void> {
    const data: ShardJob = { tenantId: this.tenancy.tenant, shardId };
    await this.jobs.send('index.embed', data, { singletonKey: shardId, lastsMs, ...options });
  }

  /** Once the endpoint is away nothing more is asked of it: the jobs come again. */
  private async embedShards(jobs: readonly JobWithMetadata<ShardJob>[]): Promise<JobResult[]> {
    const results: JobResult[] = [];
    let away: unknown;
    for (const same of Map.groupBy(jobs, ({ data }) => data.shardId).values()) {
      const { tenantId, shardId } = same[0]!.data;
      const error: unknown = away ?? (await this.embedShard(tenantId, shardId).catch((failure: unknown) => failure));
      if (error instanceof EmbeddingsUnavailable && !error.isOfTexts) away = error;
      for (const { id } of same) results.push(resultOf(id, error));
    }
    return results;
  }

  /**
   * Embeds chunks of the shard that have no vector of the present model. A job that is killed goes on where it was.
   */
  async embedShard(tenantId: string, shardId: string): Promise<void> {
    const end = performance.now() + SLICE_MS;
    while (performance.now() < end) {
      const space = await this.spaces.filled();
      const chunks = await this.tenancy.run(tenantId, () =>
        this.vectors.findUnembedded({ shardId }, space.name, this.client.batch),
      );
      if (chunks.length === 0) return;
      await this.embed(space, { tenantId, chunks }, { timeoutMs: TIMEOUT_MS, attempts: ATTEMPTS });
    }
    await this.tenancy.run(tenantId, () => this.send(shardId, SLICE_MS));
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

const resultOf = (id: string, error: unknown): JobResult =>
  error === undefined
    ? { id, status: 'completed' }
    : { id, status: 'failed', output: { message: (error as Error).message } };
