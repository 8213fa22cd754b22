import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import type { QueryVector } from '../../../common/embeddings/vector-spaces.js';
import { ServiceUnavailable } from '../../../common/problem/common-problems.js';
import { analyzerFor } from '../../../search/analysis.js';
import { utcDay } from '../../../search/bm25.js';
import { type Hit, queryTerms } from '../../../search/collection.js';
import { type Candidates, scoreAll } from '../../../search/exhaustive.js';
import type { Fit } from '../../../search/fit.types.js';
import { inSlices } from '../../../search/slices.js';
import { ExpansionService } from './expansion.service.js';
import type { IndexSnapshot, ShardSnapshot } from './index/index.types.js';
import { type OpenSegment, SegmentLoader, SnapshotOutdated } from './index/segment-loader.service.js';
import { SnapshotsService } from './index/snapshots.service.js';
import { type FoundPassages, type PassageRow, PassagesStore } from './passages.store.js';
import { fuse, locate, NEAREST, type NearHit, scoreNear } from './fusion.rules.js';
import { LEDGER_CANDIDATES } from './ledger.rules.js';
import { PassageCorrupted } from './retrieval.problems.js';
import {
  fitIn,
  groupByLanguage,
  type LanguageGroup,
  rankTop,
  shardsFor,
  type TermsByLanguage,
} from './retrieval.rules.js';
import type { Passage, Search } from './retrieval.types.js';
import { type VectorBackend, VectorSearchService } from './vectors/vector-search.service.js';
import type { NearChunk } from './vectors/vectors.store.js';

/** After this many snapshots that were overtaken, a search takes one of its own; after twice as many it gives up. */
const SHARED_ATTEMPTS = 3;

export interface SearchOptions {
  /** Add words of the best passages to the query where that helps. */
  isExpanded: boolean;
  /** Score every matching passage instead of skipping those that cannot be among the best. */
  isExhaustive: boolean;
}

interface AttemptOptions extends SearchOptions {
  /** The query's embedding. */
  vector: QueryVector | undefined;
}

export interface SearchOutcome {
  backend: VectorBackend;
  passages: Passage[];
  /** Whether what was found answers the query, by its words and by what is near to it in meaning. */
  fit: Fit;
  /** Whether more passages match than were asked for. */
  isTruncated: boolean;
  /** Passages scored in full. */
  scored: number;
  /** The shards that were searched. */
  shards: ShardSnapshot[];
  state: string;
  /** The UTC day recency was counted from. */
  day: number;
  groups: LanguageGroup<OpenSegment>[];
  /** All that an exhaustive search scored. */
  candidates?: Candidates | undefined;
}

interface Ranked {
  hits: Hit[];
  /** Chunks that were scored in full. */
  scored: number;
  candidates?: Candidates;
}

/**
 * Finds passages. A search scores with what it has in memory and then, in the one round trip that fetches the texts,
 * learns whether the index has moved since; if it has, it looks again. So what is committed before a search begins is
 * found, and what is deleted is not.
 */
@Injectable()
export class SearchService {
  private readonly vectorWeight: number;

  constructor(
    private readonly snapshots: SnapshotsService,
    private readonly segments: SegmentLoader,
    private readonly texts: PassagesStore,
    private readonly expansion: ExpansionService,
    private readonly vectors: VectorSearchService,
    @Inject(SETTINGS) { retrieval }: Settings,
  ) {
    this.vectorWeight = retrieval.vectorWeight;
  }

  async search(reader: string, search: Search, options: SearchOptions): Promise<SearchOutcome> {
    const vector = await this.vectors.embedQuery(search.query);
    for (let attempt = 0; attempt < SHARED_ATTEMPTS * 2; attempt++) {
      const taken =
        attempt === 0
          ? await this.snapshots.find(reader)
          : await this.snapshots.refresh(reader, attempt >= SHARED_ATTEMPTS);
      const outcome = await this.attempt(reader, search, { ...options, vector }, taken.snapshot).catch(
        (error: unknown) => {
          if (error instanceof SnapshotOutdated) return undefined;
          throw error;
        },
      );
      if (!outcome) continue;
      const { found, ranked, owners } = outcome;
      const isCurrent = found.state === taken.snapshot.state;
      const lost = ranked.top.find((hit) => !found.rows.has(hit.chunkId));
      if (isCurrent && lost) {
        throw new PassageCorrupted({ chunkId: lost.chunkId }, 'The index knows a passage whose text is gone');
      }
      if (lost || !(isCurrent || taken.isFresh)) continue;
      const passages = ranked.top.map((hit) => passageOf(hit, owners.get(hit)!, found.rows.get(hit.chunkId)!));
      return { ...ranked, passages };
    }
    throw new ServiceUnavailable({ retryAfterSec: 1 }, 'The index changes faster than it can be read; try again');
  }

  /** Brings into memory what a search for the query's words reads. @throws SnapshotOutdated, IndexCorrupted */
  async prepare(reader: string, search: Search): Promise<void> {
    const { snapshot } = await this.snapshots.find(reader);
    await this.attempt(reader, search, { isExpanded: false, isExhaustive: false, vector: undefined }, snapshot);
  }

  private async attempt(reader: string, search: Search, options: AttemptOptions, snapshot: IndexSnapshot) {
    const { vector } = options;
    const day = utcDay(new Date());
    const shards = shardsFor(reader, snapshot.shards, search);
    let terms = termsByLanguage(search.query, shards);
    let groups = await this.open(reader, shards, terms, day);
    if (options.isExpanded || search.synonyms) {
      if (options.isExpanded) terms = await this.expansion.expand(reader, terms, groups);
      if (search.synonyms) terms = await this.expansion.addSynonyms(reader, terms, { query: search.query, groups });
      groups = await this.open(reader, shards, terms, day);
    }
    // One more than is asked for, to know whether there are more.
    const wanted = search.limit + 1 + (vector ? NEAREST : 0);
    const { hits: byWords, scored, candidates } = await this.rank(groups, wanted, options.isExhaustive);
    const { backend, near: places } = await this.findNear(reader, shards, groups, vector);
    const near = scoreNear(byWords[0], places, this.vectorWeight);
    candidates?.replace(near);
    const hits = fuse(byWords, near);
    const fit = fitIn(groups, byWords, near.length > 0);
    const top = hits.slice(0, search.limit);
    const owners = new Map(top.map((hit) => [hit, (hit.view as OpenSegment).shard.tenantId]));
    const addresses = top.map((hit) => ({ ownerTenantId: owners.get(hit)!, chunkId: hit.chunkId }));
    const found: FoundPassages = await this.texts.find(reader, addresses);
    const isTruncated = hits.length > search.limit;
    const index = { shards, groups, day, state: snapshot.state, backend };
    const ranked = { top, fit, scored, candidates, isTruncated, ...index };
    return { found, ranked, owners };
  }

  /** The best by words; of an exhaustive search all that it scored, too, in slices between which others come first. */
  private async rank(
    groups: readonly LanguageGroup<OpenSegment>[],
    limit: number,
    isExhaustive: boolean,
  ): Promise<Ranked> {
    if (!isExhaustive) return rankTop(groups, limit);
    const candidates = await inSlices(scoreAll(groups));
    // As many as the ledger will ask for: they are looked for once.
    const best = await inSlices(candidates.best(Math.max(limit, LEDGER_CANDIDATES)));
    return { hits: best.slice(0, limit), scored: candidates.count, candidates };
  }

  /** The nearest live chunks of what is searched. */
  private async findNear(
    reader: string,
    shards: readonly ShardSnapshot[],
    groups: readonly LanguageGroup<OpenSegment>[],
    vector: QueryVector | undefined,
  ): Promise<{ backend: VectorBackend; near: NearHit[] }> {
    const near: NearHit[] = [];
    const accept = ({ ownerTenantId, chunkId, similarity }: NearChunk) => {
      const place = locate(groups, ownerTenantId, chunkId);
      if (place) near.push({ ...place, similarity });
      return near.length < NEAREST;
    };
    const backend = await this.vectors.search(reader, shards, vector, NEAREST, accept);
    return { backend, near };
  }

  private async open(
    reader: string,
    shards: readonly ShardSnapshot[],
    terms: TermsByLanguage,
    day: number,
  ): Promise<LanguageGroup<OpenSegment>[]> {
    const names = new Map([...terms].map(([language, query]) => [language, query.map(({ term }) => term)]));
    const views = await this.segments.open(reader, shards, ({ language }) => names.get(language)!);
    return groupByLanguage(views, terms, day);
  }
}

function termsByLanguage(query: string, shards: readonly ShardSnapshot[]): TermsByLanguage {
  const languages = new Set(shards.map(({ language }) => language));
  return new Map([...languages].map((language) => [language, queryTerms(analyzerFor(language).analyze(query))]));
}

function passageOf(hit: Hit, ownerTenantId: string, row: PassageRow): Passage {
  return {
    chunkId: hit.chunkId,
    ownerTenantId,
    corpusId: row.corpus_id,
    docId: row.doc_id,
    version: row.version,
    title: row.title,
    url: row.url,
    content: row.content,
    contentHash: row.content_hash,
    location: row.location,
    score: hit.score,
    scoreComponents: { vector: hit.vector, lexical: hit.lexical, recency: hit.recency, laneWeight: hit.laneWeight },
  };
}
