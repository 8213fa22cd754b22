import { Injectable } from '@nestjs/common';
import { chunkFrequency, collectionStatistics, type Hit, type QueryTerm } from '../../../search/collection.js';
import {
  expand,
  FEEDBACK_PASSAGES,
  FEEDBACK_REACH,
  type FeedbackPassage,
  feedbackTerms,
} from '../../../search/expansion.js';
import type { Language } from '../../../search/languages.js';
import { synonymsOf, synonymTerms } from '../../../search/synonyms.js';
import { FeedbackPassagesService } from './feedback-passages.service.js';
import { type OpenSegment, SegmentLoader } from './index/segment-loader.service.js';
import type { PassageAddress } from './passages.store.js';
import { type LanguageGroup, rankTop, type TermsByLanguage } from './retrieval.rules.js';

/**
 * Adds words to a query. The verified lane reads the best passages of a first search and adds what they agree on;
 * a search for related words adds those that the collection has.
 */
@Injectable()
export class ExpansionService {
  constructor(
    private readonly segments: SegmentLoader,
    private readonly feedback: FeedbackPassagesService,
  ) {}

  /** The query with the terms to add, or as it is where expansion holds back. */
  async expand(
    reader: string,
    terms: TermsByLanguage,
    groups: readonly LanguageGroup<OpenSegment>[],
  ): Promise<TermsByLanguage> {
    const { hits } = rankTop(groups, FEEDBACK_REACH);
    const views = hits.map((hit) => hit.view as OpenSegment);
    const language = views[0]?.segment.language;
    // Passages in several languages do not speak of one vocabulary.
    if (!language || views.some(({ segment }) => segment.language !== language)) return terms;
    const query = terms.get(language)!;
    const added = await this.choose(
      reader,
      query,
      await this.readPassages(reader, language, hits),
      groups.find((group) => group.language === language)!,
    );
    return new Map([...terms, [language, [...query, ...added]]]);
  }

  /** The query with the related words that are in what is searched. */
  async addSynonyms(
    reader: string,
    terms: TermsByLanguage,
    { query, groups }: { query: string; groups: readonly LanguageGroup<OpenSegment>[] },
  ): Promise<TermsByLanguage> {
    const widened = new Map(terms);
    for (const { language, views } of groups) {
      const synonyms = synonymsOf(query, language);
      if (synonyms.length === 0) continue;
      const names = [...new Set(synonyms.flat().map(({ term }) => term))];
      const opened = await this.openForFrequencies(reader, views, names);
      const asked = terms.get(language)!;
      widened.set(language, [...asked, ...synonymTerms(asked, synonyms, (term) => chunkFrequency(opened, term) > 0)]);
    }
    return widened;
  }

  /** Of each of the first documents the best passage, best first. */
  private async readPassages(reader: string, language: Language, hits: readonly Hit[]): Promise<FeedbackPassage[]> {
    const passages = new Map<string, FeedbackPassage>();
    // The rest is looked at only where several of the best are of one document.
    for (const some of [hits.slice(0, FEEDBACK_PASSAGES), hits.slice(FEEDBACK_PASSAGES)]) {
      if (passages.size === FEEDBACK_PASSAGES) break;
      const found = await this.feedback.find(reader, language, some.map(addressOf));
      for (const [place, { lexical: score }] of some.entries()) {
        const passage = found[place]!;
        if (passages.has(passage.documentId) || passages.size === FEEDBACK_PASSAGES) continue;
        passages.set(passage.documentId, { ...passage, score });
      }
    }
    return [...passages.values()];
  }

  private async choose(
    reader: string,
    query: readonly QueryTerm[],
    passages: FeedbackPassage[],
    group: LanguageGroup<OpenSegment>,
  ): Promise<QueryTerm[]> {
    const candidates = feedbackTerms(query, passages);
    if (candidates.length === 0) return [];
    const names = [...query, ...candidates].map(({ term }) => term);
    const views = await this.openForFrequencies(reader, group.views, names);
    const feedback = { passages, candidates };
    return expand(query, feedback, collectionStatistics(views), (term) => chunkFrequency(views, term));
  }

  /** So that the frequencies of the terms are exact: their postings come into memory where passages were withdrawn. */
  private async openForFrequencies(
    reader: string,
    views: readonly OpenSegment[],
    terms: readonly string[],
  ): Promise<readonly OpenSegment[]> {
    const isAnyWithdrawn = views.some(({ tombstones }) => tombstones !== undefined);
    return isAnyWithdrawn ? this.segments.open(reader, shardsOf(views), () => terms) : views;
  }
}

const addressOf = ({ chunkId, view }: Hit): PassageAddress => ({
  ownerTenantId: (view as OpenSegment).shard.tenantId,
  chunkId,
});

const shardsOf = (views: readonly OpenSegment[]) => [...new Set(views.map(({ shard }) => shard))];
