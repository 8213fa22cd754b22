import { Injectable } from '@nestjs/common';
import { analyzerFor } from '../../../search/analysis.js';
import { chunkFrequency, collectionStatistics, type QueryTerm } from '../../../search/collection.js';
import {
  expand,
  FEEDBACK_PASSAGES,
  FEEDBACK_REACH,
  type FeedbackPassage,
  feedbackTerms,
} from '../../../search/expansion.js';
import { synonymsOf, synonymTerms } from '../../../search/synonyms.js';
import { type OpenSegment, SegmentLoader, SnapshotOutdated } from './index/segment-loader.service.js';
import { PassagesStore } from './passages.store.js';
import { type LanguageGroup, rankTop, type TermsByLanguage } from './retrieval.rules.js';

/**
 * Adds words to a query. The verified lane reads the best passages of a first search and adds what they agree on;
 * a search for related words adds those that the collection has.
 */
@Injectable()
export class ExpansionService {
  constructor(
    private readonly segments: SegmentLoader,
    private readonly texts: PassagesStore,
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
    const { rows } = await this.texts.find(
      reader,
      hits.map(({ chunkId }, i) => ({ ownerTenantId: views[i]!.shard.tenantId, chunkId })),
    );
    const passages = new Map<string, FeedbackPassage>();
    for (const { chunkId, lexical } of hits) {
      const row = rows.get(chunkId);
      if (!row) throw new SnapshotOutdated();
      const documentId = JSON.stringify([row.tenant_id, row.corpus_id, row.doc_id]);
      if (passages.has(documentId) || passages.size === FEEDBACK_PASSAGES) continue;
      const text = row.title ? `${row.title}\n${row.content}` : row.content;
      passages.set(documentId, { documentId, terms: analyzerFor(language).analyze(text), score: lexical });
    }
    const query = terms.get(language)!;
    const added = await this.choose(
      reader,
      query,
      [...passages.values()],
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
      const opened = await this.segments.open(reader, shardsOf(views), () => names);
      const asked = terms.get(language)!;
      widened.set(language, [...asked, ...synonymTerms(asked, synonyms, (term) => chunkFrequency(opened, term) > 0)]);
    }
    return widened;
  }

  /** Brings the candidates' postings into memory, so that their frequencies are exact. */
  private async choose(
    reader: string,
    query: readonly QueryTerm[],
    passages: FeedbackPassage[],
    group: LanguageGroup<OpenSegment>,
  ): Promise<QueryTerm[]> {
    const candidates = feedbackTerms(query, passages);
    if (candidates.length === 0) return [];
    const names = [...query, ...candidates].map(({ term }) => term);
    const views = await this.segments.open(reader, shardsOf(group.views), () => names);
    return expand(query, passages, collectionStatistics(views), (term) => chunkFrequency(views, term));
  }
}

const shardsOf = (views: readonly OpenSegment[]) => [...new Set(views.map(({ shard }) => shard))];
