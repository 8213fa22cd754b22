import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { EmbeddingsUnavailable } from '../../../common/embeddings/embeddings-answer.js';
import { EmbeddingsClient } from '../../../common/embeddings/embeddings-client.js';
import type { VectorSpace } from '../../../common/embeddings/vector-space.types.js';
import { VectorSpaces } from '../../../common/embeddings/vector-spaces.js';
import { ensureSpace, promoteSpace, wantedSpace } from '../../../common/embeddings/vector-spaces.store.js';
import { Jobs } from '../../../common/jobs/jobs.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { Scheduler } from '../../../common/scheduler/scheduler.js';
import { CrossTenant, type Query } from '../../../common/tenancy/cross-tenant.js';
import { findBehind } from './memory-embedding.store.js';
import type { EmbedJob } from './memory-embedding.service.js';
import { MEMORY_KINDS } from './memory-kinds.js';
import { findShardsBehind, removeRetired } from './vector-space-keeper.store.js';

const EVERY_MS = 1_000;
const PROBE_TIMEOUT_MS = 5_000;
const REASON = 'memory vectors';
/** What a turn of a shard is taken to last. */
const LASTS_MS = 5_000;

/**
 * Looks for what has no vector yet and sends the jobs that make them: writing a fact does not wait for it, and does
 * nothing for it. A space that is asked for later is filled next to the one that serves, and takes its place when it is
 * whole.
 */
@Injectable()
export class VectorSpaceKeeper implements OnApplicationBootstrap {
  private hasBegun = false;

  constructor(
    private readonly client: EmbeddingsClient,
    private readonly spaces: VectorSpaces,
    private readonly jobs: Jobs,
    private readonly scheduler: Scheduler,
    private readonly crossTenant: CrossTenant,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    if (this.client.isConfigured && this.jobs.working)
      this.scheduler.every('memory.vectors', EVERY_MS, () => this.look());
  }

  async look(): Promise<void> {
    if (!this.hasBegun) await this.begin();
    this.spaces.refresh();
    const space = await this.spaces.filled();
    await this.crossTenant.run(REASON, async (query) => {
      const waiting = await this.sendJobs(query, space);
      if (space.state === 'building' && !waiting && !(await this.sendPassages(query, space))) {
        await promoteSpace(query, space.spaceId);
        this.log.info({ space: space.name }, 'the vectors are whole; queries are answered by them from now on');
      }
      await removeRetired(query);
    });
  }

  /** One embedding shows what the endpoint gives; it may be away, and the words answer until it is there. */
  private async begin(): Promise<void> {
    const wanted = wantedSpace(this.settings.retrieval);
    const answered = await this.probe();
    const isNew = await this.crossTenant.run(REASON, (query) => ensureSpace(query, wanted, { answered }));
    if (isNew) this.log.info({ model: wanted.model, dimensions: answered }, 'vectors are made for this model');
    this.hasBegun = true;
  }

  private async probe(): Promise<number | undefined> {
    const { model } = this.client;
    try {
      const { vectors } = await this.client.embed(['svc'], { timeoutMs: PROBE_TIMEOUT_MS, attempts: 1 });
      return vectors[0]!.length;
    } catch (error) {
      if (!(error instanceof EmbeddingsUnavailable)) throw error;
      this.log.warn(
        { error, model },
        `${error.message}; words alone rank until it does. See SVC_EMBEDDINGS_URL, _MODEL, _API_KEY and _DIMENSIONS, and "svc embeddings status"`,
      );
      return undefined;
    }
  }

  /** @returns whether there was anything to embed */
  private async sendJobs(query: Query, { spaceId }: VectorSpace): Promise<boolean> {
    const tenants = new Set<string>();
    for (const kind of MEMORY_KINDS) for (const tenant of await findBehind(query, kind, spaceId)) tenants.add(tenant);
    for (const tenantId of tenants) {
      const data: EmbedJob = { tenantId, spaceId };
      await this.jobs.sendBy(query, 'memory.embed', { data, options: { singletonKey: `${spaceId} ${tenantId}` } });
    }
    return tenants.size > 0;
  }

  /** Passages are embedded by jobs of their shards. @returns whether there are any without a vector */
  private async sendPassages(query: Query, { name }: VectorSpace): Promise<boolean> {
    const shards = await findShardsBehind(query, name);
    const { queued, active } = await this.jobs.depth('index.embed');
    if (queued + active === 0)
      for (const { tenantId, shardId } of shards)
        await this.jobs.sendBy(query, 'index.embed', {
          data: { tenantId, shardId },
          options: { singletonKey: shardId, lastsMs: LASTS_MS },
        });
    return shards.length > 0;
  }
}
