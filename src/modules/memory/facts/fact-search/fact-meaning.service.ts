import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import type { QueryVector } from '../../../../common/embeddings/vector-spaces.js';
import type { BoundQuery } from '../../../../search/collection.js';
import { scoreChunk } from '../../../../search/exhaustive.js';
import { MemoryNearestService } from '../../vectors/memory-nearest.service.js';
import type { VectorReader } from '../../vectors/memory-vectors.types.js';
import { NEAREST, type NearFact } from './fact-fusion.rules.js';
import type { FetchedFact, FetchFacts, RankedSearch } from './fact-search.types.js';
import type { FactView } from './tenant-index.js';

/** How often more of what is near is looked at because filters left too little of it. */
const MAX_LOOKS = 4;

/** The facts near to a query in meaning. What the reader may not see has no part in it, not even by a scale. */
@Injectable()
export class FactMeaningService {
  /** Of the vector component. */
  readonly weight: number;

  constructor(
    private readonly nearest: MemoryNearestService,
    @Inject(SETTINGS) { retrieval }: Settings,
  ) {
    this.weight = retrieval.vectorWeight;
  }

  /** None without an endpoint, or for facts of another time: what was superseded has no vector. */
  async embedQuery({ query, onlyCurrent }: RankedSearch): Promise<QueryVector | undefined> {
    return onlyCurrent && this.weight > 0 && query.trim() !== '' ? this.nearest.embedQuery(query) : undefined;
  }

  /** The nearest facts that pass `fetch`, nearest first, each with its score by words. */
  async find<Fact extends FetchedFact>(
    reader: VectorReader,
    { views, query }: { views: readonly FactView[]; query: BoundQuery },
    { vector, among }: { vector: QueryVector; among: readonly number[] | undefined },
    fetch: FetchFacts<Fact>,
  ): Promise<(NearFact & { fact: Fact })[]> {
    const found: (NearFact & { fact: Fact })[] = [];
    let looks = 0;
    for await (const items of this.nearest.find(reader, 'fact', vector, among?.map(String))) {
      const facts = new Map((await fetch(items.map(({ itemId }) => Number(itemId)))).map((fact) => [fact.seq, fact]));
      for (const { itemId, similarity } of items) {
        const fact = facts.get(itemId);
        const place = fact && placeOf(views, Number(itemId));
        if (place && found.length < NEAREST)
          found.push({ fact, similarity, hit: scoreChunk(views, query, place.view, place.ordinal) });
      }
      looks += 1;
      if (found.length === NEAREST || looks === MAX_LOOKS) break;
    }
    return found;
  }
}

/** Where a fact is in what is searched, unless it is retired there or hidden from the reader. */
function placeOf(views: readonly FactView[], seq: number): { view: FactView; ordinal: number } | undefined {
  for (const view of views) {
    const ordinal = view.facts.ordinalOf(seq);
    if (ordinal !== undefined && !view.tombstones?.dead[ordinal]) return { view, ordinal };
  }
  return undefined;
}
