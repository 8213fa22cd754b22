import { Inject, Injectable } from '@nestjs/common';
import { type ByteCache, CacheBudget } from '../caches/cache-budget.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { LOG, type Log } from '../observability/log.js';
import { Metrics } from '../observability/metrics.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { cutToTokens } from '../tokens/cut-text.js';
import { EmbeddingsUnavailable } from './embeddings-answer.js';
import { EmbeddingsClient } from './embeddings-client.js';
import { nameOf } from './vector-space.rules.js';
import type { VectorSpace } from './vector-space.types.js';
import { FIND_SPACES, wantedSpace } from './vector-spaces.store.js';

/** How long a query waits for its embedding, and how long an endpoint that failed is left alone. */
const QUERY_TIMEOUT_MS = 2_000;
const PAUSE_MS = 5_000;
const PROBE = 'svc';
/** How long a process goes by the spaces that it read. */
const KNOWN_MS = 1_000;

export interface QueryVector {
  space: VectorSpace;
  vector: Float32Array;
}

interface Patience {
  timeoutMs: number;
  attempts: number;
}

/** Embeds queries in the space that serves and texts in the one that is filled, each as that space was begun. */
@Injectable()
export class VectorSpaces {
  private readonly queries: ByteCache<Float32Array>;
  private readonly cuts;
  private pausedUntil = 0;
  private known: { spaces: Promise<VectorSpace[]>; until: number } | undefined;

  constructor(
    private readonly client: EmbeddingsClient,
    private readonly tenancy: Tenancy,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
    budget: CacheBudget,
    @Inject(Metrics) metrics: Metrics,
  ) {
    this.queries = budget.open('query_vectors', ({ byteLength }) => byteLength);
    this.cuts = metrics.counter('svc_embeddings_cut_total', 'Texts of which only the beginning was embedded.');
  }

  get isConfigured(): boolean {
    return this.client.isConfigured;
  }

  /** The space that queries are answered in; before a process has made the first, what it will be. */
  async serving(): Promise<VectorSpace> {
    return (await this.find()).find(({ state }) => state === 'serving') ?? this.first();
  }

  /** The space that new vectors go to: the one in the making, while there is one. */
  async filled(): Promise<VectorSpace> {
    const spaces = await this.find();
    return spaces.find(({ state }) => state === 'building') ?? spaces[0] ?? this.first();
  }

  /** The query's vector; none without an endpoint, or while it fails: the words alone answer then. */
  async embedQuery(query: string): Promise<QueryVector | undefined> {
    if (!this.isConfigured || Date.now() < this.pausedUntil) return undefined;
    const space = await this.serving();
    const name = `${space.name}\n${space.queryPrefix}${query}`;
    const known = this.queries.get(name);
    if (known) return { space, vector: known };
    try {
      const input = await this.inputOf(space, [query], space.queryPrefix);
      const [vector] = await this.ask(space, input, { timeoutMs: QUERY_TIMEOUT_MS, attempts: 1 });
      this.queries.set(name, vector!);
      return { space, vector: vector! };
    } catch (error) {
      if (!(error instanceof EmbeddingsUnavailable)) throw error;
      // What it refuses of one query says nothing of those of others.
      if (!error.isOfTexts) this.pausedUntil = Date.now() + PAUSE_MS;
      if (error.mayBeOfTexts) void this.goOnWhereItWorks(space);
      this.log.warn({ error, model: space.model }, 'the embeddings endpoint did not answer; ranking by words alone');
      return undefined;
    }
  }

  /** A vector of each, also where the endpoint refuses some of them. @throws EmbeddingsUnavailable */
  async embedTexts(space: VectorSpace, texts: readonly string[], patience: Patience): Promise<Float32Array[]> {
    const input = await this.inputOf(space, texts, space.passagePrefix);
    return this.askByHalves(space, input, patience);
  }

  /** Forgets what was read of the spaces. */
  refresh(): void {
    this.known = undefined;
  }

  /**
   * What the endpoint refuses of several is found by halves, and of one that it refuses alone the first half is taken:
   * a text without a vector would keep all that come after it waiting, and a new space from serving any tenant. So it
   * is with what the endpoint fails at while it embeds other texts.
   */
  private async askByHalves(space: VectorSpace, input: readonly string[], patience: Patience): Promise<Float32Array[]> {
    try {
      return await this.ask(space, input, patience);
    } catch (error) {
      const parts = error instanceof EmbeddingsUnavailable ? await this.partsOf(space, input, error) : undefined;
      if (!parts) throw error;
      if (input.length === 1) this.cuts.inc();
      const vectors: Float32Array[] = [];
      for (const part of parts) vectors.push(...(await this.askByHalves(space, part, patience)));
      return vectors;
    }
  }

  /** What was answered wrong is not cut: the endpoint may be broken just now, and a cut text stays as it is. */
  private async partsOf(
    space: VectorSpace,
    input: readonly string[],
    { isOfTexts, isRefusal, mayBeOfTexts }: EmbeddingsUnavailable,
  ): Promise<(readonly string[])[] | undefined> {
    const isFault = mayBeOfTexts && (await this.works(space));
    const mayDivide = input.length > 1 ? isOfTexts || isFault : isRefusal || isFault;
    return mayDivide ? halvesOf(input) : undefined;
  }

  /** Whether the endpoint embeds a word just now. */
  private async works(space: VectorSpace): Promise<boolean> {
    return this.ask(space, [PROBE], { timeoutMs: QUERY_TIMEOUT_MS, attempts: 1 }).then(
      () => true,
      () => false,
    );
  }

  /** A query that the endpoint fails at alone keeps no other from its vector. */
  private async goOnWhereItWorks(space: VectorSpace): Promise<void> {
    if (await this.works(space)) this.pausedUntil = 0;
  }

  private async inputOf(space: VectorSpace, texts: readonly string[], prefix: string): Promise<string[]> {
    const input: string[] = [];
    for (const text of texts) {
      const whole = `${prefix}${text}`;
      const cut = await cutToTokens(whole, space.inputTokens);
      if (cut.length < whole.length) this.cuts.inc();
      input.push(cut);
    }
    return input;
  }

  private async ask(space: VectorSpace, input: readonly string[], patience: Patience): Promise<Float32Array[]> {
    const { vectors } = await this.client.embed(input, {
      ...patience,
      model: space.model,
      dimensions: space.askedDimensions ?? undefined,
    });
    const dimensions = vectors[0]?.length;
    if (space.dimensions !== null && dimensions !== space.dimensions)
      throw new EmbeddingsUnavailable(
        `The embeddings endpoint answered vectors of ${dimensions} dimensions where ${space.dimensions} are expected`,
        false,
      );
    return vectors;
  }

  private find(): Promise<VectorSpace[]> {
    const now = Date.now();
    if (this.known && now < this.known.until) return this.known.spaces;
    const spaces = this.tenancy.call<VectorSpace>(FIND_SPACES);
    const known = { spaces, until: now + KNOWN_MS };
    this.known = known;
    spaces.catch(() => {
      if (this.known === known) this.known = undefined;
    });
    return spaces;
  }

  private first(): VectorSpace {
    const wanted = wantedSpace(this.settings.retrieval);
    return { ...wanted, spaceId: 0, name: nameOf(wanted, []), dimensions: null, state: 'serving' };
  }
}

/** Two lists of half as many texts; of one text its first half, none of a single character. */
function halvesOf(input: readonly string[]): (readonly string[])[] | undefined {
  const half = Math.ceil(input.length / 2);
  if (input.length > 1) return [input.slice(0, half), input.slice(half)];
  const [text = ''] = input;
  // Between the halves of a character there is no text.
  const first = text.slice(0, Math.floor(text.length / 2)).replace(/[\ud800-\udbff]$/, '');
  return first === '' ? undefined : [[first]];
}
