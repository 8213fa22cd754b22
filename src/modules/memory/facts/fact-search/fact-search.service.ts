import { Inject, Injectable } from '@nestjs/common';
import type { QueryVector } from '../../../../common/embeddings/vector-spaces.js';
import { LOG, type Log } from '../../../../common/observability/log.js';
import { Metrics } from '../../../../common/observability/metrics.js';
import { ServiceUnavailable } from '../../../../common/problem/common-problems.js';
import { utcDay } from '../../../../search/bm25.js';
import { bindQuery, type BoundQuery, chunkFrequency, type Hit, type QueryTerm } from '../../../../search/collection.js';
import { fitOf, withNear } from '../../../../search/fit.js';
import { DEFAULT_LANGUAGE } from '../../../../search/languages.js';
import { SegmentCorrupted } from '../../../../search/segment.js';
import { synonymsOf, synonymTerms } from '../../../../search/synonyms.js';
import { isReserved } from '../facts.rules.js';
import type { FactReader } from '../facts.types.js';
import { FactMeaningService } from './fact-meaning.service.js';
import { FactIndexStore } from './fact-index.store.js';
import { FactIndexes, IndexMoved } from './fact-indexes.service.js';
import { rankedAmong, rankedBlocks } from './fact-ranking.rules.js';
import { FactSegmentFlush } from './fact-segment-flush.service.js';
import type { FetchedFact, FetchFacts, RankedFact, RankedSearch } from './fact-search.types.js';
import { fuseFacts, NEAREST } from './fact-fusion.rules.js';
import { seqOf, termsOf } from './fact-terms.rules.js';
import type { TenantIndex } from './tenant-index.js';

/** How often a search is done again because facts it had ranked were superseded meanwhile, or segments merged. */
const ATTEMPTS = 4;
/** Up to as many facts of an entity are scored one by one; for more, all are ranked and then filtered. */
const MAX_OF_ENTITY = 2_000;

/**
 * Ranked search over facts. What was committed before a search began is found, in every process. Filters never make an
 * answer too short: what is ranked is looked at until enough have passed or none are left.
 */
@Injectable()
export class FactSearchService {
  private readonly corruptions;

  constructor(
    private readonly indexes: FactIndexes,
    private readonly store: FactIndexStore,
    private readonly flush: FactSegmentFlush,
    private readonly meaning: FactMeaningService,
    @Inject(LOG) private readonly log: Log,
    @Inject(Metrics) metrics: Metrics,
  ) {
    this.corruptions = metrics.counter(
      'svc_fact_index_corruptions_total',
      'Segments of facts that were not what had been written; the index was rebuilt.',
    );
  }

  /**
   * The facts that pass `fetch`, best first. A query of stop words or signs alone finds by meaning, where there are
   * vectors, or nothing.
   * @throws ServiceUnavailable while a damaged index is rebuilt
   */
  async search<Fact extends FetchedFact>(
    reader: FactReader,
    search: RankedSearch,
    fetch: FetchFacts<Fact>,
  ): Promise<RankedFact<Fact>[]> {
    const terms = termsOf(search.query);
    const vector = await this.meaning.embedQuery(search);
    if ((terms.length === 0 && !vector) || search.limit < 1) return [];
    for (let attempt = 1; ; attempt++) {
      try {
        const index = await this.indexes.fresh(reader.tenantId, !search.onlyCurrent);
        const { found, refused } = await this.attempt(reader, search, { index, terms, vector }, fetch);
        const isOld = attempt < ATTEMPTS && search.onlyCurrent && (await this.areRetired(reader, refused));
        if (!isOld) return found;
      } catch (error) {
        if (!(error instanceof IndexMoved)) throw await this.explain(reader.tenantId, error);
        if (attempt === ATTEMPTS)
          throw new ServiceUnavailable(
            { retryAfterSec: 1 },
            'The index of facts changes faster than it can be read; try again',
          );
      }
    }
  }

  private async attempt<Fact extends FetchedFact>(
    reader: FactReader,
    search: RankedSearch,
    { index, terms, vector }: { index: TenantIndex; terms: readonly QueryTerm[]; vector: QueryVector | undefined },
    fetch: FetchFacts<Fact>,
  ): Promise<{ found: RankedFact<Fact>[]; refused: number[] }> {
    const { entity, entityPrefix, limit } = search;
    const today = utcDay(new Date());
    const withReserved = isReserved(entity ?? entityPrefix ?? '');
    const synonyms = search.synonyms ? synonymsOf(search.query, DEFAULT_LANGUAGE) : [];
    const names = [...new Set([...terms, ...synonyms.flat()].map(({ term }) => term))];
    const views = index.views(reader, { withHistory: !search.onlyCurrent, withReserved, names, today });
    const [among] = await Promise.all([
      entity === undefined && entityPrefix === undefined
        ? undefined
        : this.store.findOfEntity(reader.tenantId, search, MAX_OF_ENTITY),
      this.indexes.openPostings(reader.tenantId, views, names),
    ]);
    const added = synonymTerms(terms, synonyms, (term) => chunkFrequency(views, term) > 0);
    const query = bindQuery(views, [...terms, ...added], today);
    // Of what is near in meaning, any may come before the last of the wanted ones by words.
    const wanted = vector ? limit + NEAREST : limit;
    const blocks = among ? rankedAmong(views, query, wanted, among) : rankedBlocks(views, query, wanted);
    const byWords = await take(terms.length > 0 ? blocks : [], wanted, fetch);
    if (!vector) return { found: byWords.found.map((one) => rankedOf(one, query)), refused: byWords.refused };
    const near = await this.meaning.find({ ...reader, withReserved }, { views, query }, { vector, among }, fetch);
    const facts = new Map([...byWords.found, ...near].map(({ hit, fact }) => [hit.chunkId, fact]));
    const hits = fuseFacts(
      byWords.found.map(({ hit }) => hit),
      near,
      this.meaning.weight,
    );
    const found = hits.slice(0, limit).map((hit) => rankedOf({ hit, fact: facts.get(hit.chunkId)! }, query));
    return { found, refused: byWords.refused };
  }

  /** Whether facts were refused because they have been superseded or deleted since they were ranked. */
  private async areRetired({ tenantId }: FactReader, refused: readonly number[]): Promise<boolean> {
    if (refused.length === 0) return false;
    const index = await this.indexes.fresh(tenantId, false);
    return refused.some((seq) => index.isRetired(seq));
  }

  private async explain(tenantId: string, error: unknown): Promise<unknown> {
    if (!(error instanceof SegmentCorrupted)) return error;
    this.corruptions.inc();
    this.log.error({ error, tenant_id: tenantId }, 'a segment of facts is not what was written; the index is rebuilt');
    await this.flush.rebuild(tenantId);
    return new ServiceUnavailable(
      { retryAfterSec: 1 },
      'A part of the index of facts was damaged and is being rebuilt from the facts; try again',
    );
  }
}

/** The first that pass, in the order of their rank, and those before them that did not. */
async function take<Fact extends FetchedFact>(
  blocks: Iterable<Hit[]>,
  limit: number,
  fetch: FetchFacts<Fact>,
): Promise<{ found: FoundHit<Fact>[]; refused: number[] }> {
  const found: FoundHit<Fact>[] = [];
  const refused: number[] = [];
  for (const hits of blocks) {
    if (hits.length === 0) continue;
    const ranked = hits.map((hit) => ({ seq: seqOf(hit.chunkId), hit }));
    const facts = new Map((await fetch(ranked.map(({ seq }) => seq))).map((fact) => [Number(fact.seq), fact]));
    for (const { seq, hit } of ranked) {
      if (found.length === limit) break;
      const fact = facts.get(seq);
      if (fact) found.push({ fact, hit });
      else refused.push(seq);
    }
    if (found.length === limit) break;
  }
  return { found, refused };
}

interface FoundHit<Fact> {
  fact: Fact;
  hit: Hit;
}

const rankedOf = <Fact extends FetchedFact>({ fact, hit }: FoundHit<Fact>, query: BoundQuery): RankedFact<Fact> => ({
  fact,
  score: hit.score,
  parts: { lexical: hit.lexical + hit.laneWeight, vector: hit.vector, recency: hit.recency },
  fit: withNear(
    fitOf([hit], () => query),
    hit.vector > 0,
  ),
});
