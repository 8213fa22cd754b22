import { Injectable, type OnModuleInit } from '@nestjs/common';
import { areWritersDone } from '../../../common/database/writers.js';
import { EmbeddingsUnavailable } from '../../../common/embeddings/embeddings-answer.js';
import { EmbeddingsClient } from '../../../common/embeddings/embeddings-client.js';
import type { VectorSpace } from '../../../common/embeddings/vector-space.types.js';
import { VectorSpaces } from '../../../common/embeddings/vector-spaces.js';
import { Jobs } from '../../../common/jobs/jobs.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { MemoryEmbeddingStore, type RowToEmbed } from './memory-embedding.store.js';
import { MEMORY_KINDS, type MemoryKind } from './memory-kinds.js';

const TIMEOUT_MS = 30_000;
const ATTEMPTS = 4;
/** Of one job: then other tenants have their turn, and the next look of the keeper sends a job for what is left. */
const MAX_BATCHES = 16;

/** What a job is about: ids, never content. */
export interface EmbedJob {
  tenantId: string;
  spaceId: number;
}

/**
 * Embeds what a tenant's memory holds and the space has no vector of. Each batch is committed with the position up to
 * which it reaches: killed at any moment, it goes on there.
 */
@Injectable()
export class MemoryEmbeddingService implements OnModuleInit {
  constructor(
    private readonly client: EmbeddingsClient,
    private readonly spaces: VectorSpaces,
    private readonly store: MemoryEmbeddingStore,
    private readonly tenancy: Tenancy,
    private readonly crossTenant: CrossTenant,
    private readonly jobs: Jobs,
  ) {}

  async onModuleInit(): Promise<void> {
    if (!this.client.isConfigured) return;
    await this.jobs.work<EmbedJob>('memory.embed', { batchSize: 1 }, async (jobs) => {
      for (const { data } of jobs) await this.embedTenant(data);
    });
  }

  /** @throws EmbeddingsUnavailable, which the space keeps as the reason why it is behind */
  async embedTenant({ tenantId, spaceId }: EmbedJob): Promise<void> {
    this.spaces.refresh();
    const space = await this.spaces.filled();
    // Another is being filled by now: its own jobs come.
    if (space.spaceId !== spaceId) return;
    try {
      let left = MAX_BATCHES;
      for (const kind of MEMORY_KINDS) while (left > 0 && (await this.embedBatch(tenantId, space, kind))) left -= 1;
    } catch (error) {
      if (error instanceof EmbeddingsUnavailable) await this.note(spaceId, error.message);
      throw error;
    }
    await this.note(spaceId, null);
  }

  /** @returns whether there may be more */
  private async embedBatch(tenantId: string, space: VectorSpace, kind: MemoryKind): Promise<boolean> {
    const { position, rows } = await this.tenancy.run(tenantId, () => this.findRows(space, kind));
    const last = rows.at(-1);
    if (!last) return false;
    const wanted = rows.filter((row): row is RowToEmbed & { text: string } => row.text !== null);
    const vectors = await this.embedTexts(
      space,
      wanted.map(({ text }) => text),
    );
    const embedded = wanted.map(({ id }, i) => ({ id, vector: vectors[i]! }));
    const dimensions = vectors[0]?.length;
    if (dimensions !== undefined) await this.tenancy.run(tenantId, () => this.store.ensureIndex(dimensions));
    const emptied = rows.flatMap(({ item, text, retires }) => [
      ...(text === null ? [item] : []),
      ...(retires === null ? [] : [retires]),
    ]);
    return this.tenancy.run(tenantId, () =>
      this.store.record(kind, space.spaceId, { from: position, to: Number(last.id) }, { embedded, emptied }),
    );
  }

  private async findRows(space: VectorSpace, kind: MemoryKind): Promise<{ position: number; rows: RowToEmbed[] }> {
    const { position, last } = await this.store.readLine(kind, space.spaceId);
    if (last <= position || !(await areWritersDone(() => this.store.findWriters(kind)))) return { position, rows: [] };
    return { position, rows: await this.store.find(kind, position, last, this.client.batch) };
  }

  private async embedTexts(space: VectorSpace, texts: readonly string[]): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    const vectors = await this.spaces.embedTexts(space, texts, { timeoutMs: TIMEOUT_MS, attempts: ATTEMPTS });
    if (space.dimensions === null) await this.pin(space, vectors[0]!.length);
    return vectors;
  }

  /** From the first vector on, others of another dimension are refused. */
  private async pin(space: VectorSpace, dimensions: number): Promise<void> {
    await this.crossTenant.run('memory vectors', (query) =>
      query('update vector_space set dimensions = coalesce(dimensions, $2) where space_id = $1', [
        space.spaceId,
        dimensions,
      ]),
    );
    space.dimensions = dimensions;
  }

  private note(spaceId: number, reason: string | null): Promise<unknown> {
    return this.crossTenant.run('memory vectors', (query) =>
      query(
        `update vector_space set reason = $2, failed_at = case when $2::text is null then null else now() end
         where space_id = $1 and ($2::text is not null or reason is not null)`,
        [spaceId, reason],
      ),
    );
  }
}
