import type { Tier } from '../../../common/contract/caller.js';
import { bindQuery, type BoundQuery, type Hit, type QueryTerm, type SegmentView } from '../../../search/collection.js';
import { fitOf, withNear } from '../../../search/fit.js';
import type { Fit } from '../../../search/fit.types.js';
import type { Language } from '../../../search/languages.js';
import { searchTop } from '../../../search/maxscore.js';
import { ranksBefore } from '../../../search/top-hits.js';
import type { ShardSnapshot } from './index/index.types.js';
import type { CostReason, Search } from './retrieval.types.js';

export interface Cost {
  credit_cost: number;
  cost_reason: CostReason;
}

/**
 * What a retrieval costs (decision D17). The commons are what other tenants opened to everyone; bought corpora are paid
 * for already.
 */
export function costOf(tier: Tier, searchesCommons: boolean): Cost {
  if (!searchesCommons) return { credit_cost: 0, cost_reason: 'tenant_only_query' };
  return tier === 'free'
    ? { credit_cost: 5, cost_reason: 'free_tier_commons_rate' }
    : { credit_cost: 1, cost_reason: 'paid_tier_commons_query' };
}

/**
 * The visible shards a search is about: the named corpora, the tenant's own and, unless it says no, what others share
 * with it.
 */
export function shardsFor(reader: string, shards: readonly ShardSnapshot[], search: Search): ShardSnapshot[] {
  const named = new Set(search.corpusIds);
  return shards.filter(
    (shard) => (shard.tenantId === reader || search.includeCommons) && (named.size === 0 || named.has(shard.corpusId)),
  );
}

export function searchesCommons(reader: string, shards: readonly ShardSnapshot[]): boolean {
  return shards.some((shard) => shard.tenantId !== reader && shard.shareability === 'public_safe');
}

/** The query's terms in every language that is searched. */
export type TermsByLanguage = ReadonlyMap<Language, readonly QueryTerm[]>;

/** The segments of one language with the query in that language: they share statistics. */
export interface LanguageGroup<View extends SegmentView> {
  language: Language;
  views: View[];
  query: BoundQuery;
}

export function groupByLanguage<View extends SegmentView>(
  views: readonly View[],
  terms: TermsByLanguage,
  today: number,
): LanguageGroup<View>[] {
  return [...terms].map(([language, query]) => {
    const own = views.filter((view) => view.segment.language === language);
    return { language, views: own, query: bindQuery(own, query, today) };
  });
}

/** The best hits over all languages, and how many chunks were scored in full. */
export function rankTop(groups: readonly LanguageGroup<SegmentView>[], limit: number): { hits: Hit[]; scored: number } {
  const found = groups.map(({ views, query }) => searchTop(views, query, limit));
  const hits = found.length === 1 ? found[0]!.hits : byRank(found.flatMap((one) => one.hits)).slice(0, limit);
  return { hits, scored: found.reduce((sum, one) => sum + one.scored, 0) };
}

function byRank(hits: Hit[]): Hit[] {
  return hits.sort((a, b) => (ranksBefore(a, b) ? -1 : 1));
}

/**
 * Why no word of the query can be found, whatever it asks for.
 * @param groups of all languages that were searched
 */
export function noteOn(groups: readonly LanguageGroup<SegmentView>[]): string | undefined {
  const queries = groups.map(({ query }) => query).filter(({ chunkCount }) => chunkCount > 0);
  if (queries.length === 0)
    return 'No passage was searched: the corpora that the query is about have none, or are not there; GET /v1/corpora lists them';
  if (queries.some(({ originals }) => originals > 0)) return undefined;
  // What is a stop word in one language is a word that no passage has in another.
  return queries.some(({ askedTerms }) => askedTerms === 0)
    ? 'The query has no word to look for: stop words and signs find nothing; ask with words of the subject'
    : 'No passage that was searched has a word of the query; ask in other words';
}

/**
 * Whether the hits answer the query.
 * @param hits by words, best first
 * @param isAnyNear whether passages near in meaning are among the results
 */
export function fitIn(groups: readonly LanguageGroup<SegmentView>[], hits: readonly Hit[], isAnyNear: boolean): Fit {
  const queries = new Map(groups.map(({ language, query }) => [language, query]));
  return withNear(
    fitOf(hits, ({ view }) => queries.get(view.segment.language)!),
    isAnyNear,
  );
}
