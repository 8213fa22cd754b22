import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { namedDigest } from '../../../evidence/digest.js';
import { Problem } from '../../../common/problem/problem.js';
import { LaneSearchService } from './lane-search.service.js';
import type { Passage, RecordedPassage, RecordedRetrieval } from './retrieval.types.js';

/** A recorded search, done again. */
export interface RepeatedSearch {
  /** Best first; null where it was not done. */
  ranking: readonly Passage[] | null;
  /** Whether it could not be done though one is recorded: something of the index is not what was written. */
  isBroken: boolean;
  /** How it went, in words. */
  detail: string;
  /** What it ranks by: `lexical`, or `lexical+vectors:<model>`; null when it was not done. */
  profile: string | null;
}

/** Repeats recorded searches in their lane, as the tenant sees the passages now: proofs and replays compare places. */
@Injectable()
export class RepeatedSearchService {
  constructor(
    private readonly searches: LaneSearchService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws Problem that is retryable, when it cannot be done just now */
  async repeat(tenantId: string, search: Pick<RecordedRetrieval, 'lane' | 'request'> | null): Promise<RepeatedSearch> {
    if (search === null) return { ranking: null, isBroken: false, detail: 'not recorded', profile: null };
    try {
      const { passages, backend } = await this.searches.search(tenantId, search.request, search.lane);
      const profile = backend === 'none' ? 'lexical' : `lexical+vectors:${this.settings.retrieval.embeddingsModel}`;
      return { ranking: passages, isBroken: false, detail: 'repeated', profile };
    } catch (error) {
      // A part of the index or a text that was altered is what a proof is there to find.
      if (!(error instanceof Problem) || error.retryable) throw error;
      return { ranking: null, isBroken: true, detail: error.message || error.kind.title, profile: null };
    }
  }
}

/** Where a passage is in a ranking, from 1, whatever version of its document has the text; null where it is not. */
export function placeOf(
  {
    ownerTenantId,
    corpusId,
    docId,
    contentHash,
  }: Pick<RecordedPassage, 'ownerTenantId' | 'corpusId' | 'docId' | 'contentHash'>,
  ranking: readonly Passage[],
): { rank: number; score: number } | null {
  const index = ranking.findIndex(
    (one) =>
      one.ownerTenantId === ownerTenantId &&
      one.corpusId === corpusId &&
      one.docId === docId &&
      namedDigest('blake3', one.contentHash) === contentHash,
  );
  return index < 0 ? null : { rank: index + 1, score: ranking[index]!.score };
}
