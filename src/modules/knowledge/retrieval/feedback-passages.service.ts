import { Injectable } from '@nestjs/common';
import { type ByteCache, CacheBudget } from '../../../common/caches/cache-budget.js';
import { plainSize } from '../../../common/caches/plain-size.rules.js';
import { analyzerFor } from '../../../search/analysis.js';
import { type PassageTerms, passageTerms } from '../../../search/expansion.js';
import type { Language } from '../../../search/languages.js';
import { SnapshotOutdated } from './index/segment-loader.service.js';
import { type PassageAddress, type PassageRow, PassagesStore } from './passages.store.js';

type AnalysedPassage = PassageTerms & { readonly documentId: string };

/**
 * The words of the passages that queries find first. The text of a chunk never changes, so what was analysed once stays
 * right; whether a chunk is still there, and whose it is, the search itself asks the database.
 */
@Injectable()
export class FeedbackPassagesService {
  private readonly analysed: ByteCache<AnalysedPassage>;

  constructor(
    private readonly texts: PassagesStore,
    budget: CacheBudget,
  ) {
    this.analysed = budget.open<AnalysedPassage>('feedback', plainSize);
  }

  /**
   * In the order of the addresses.
   * @throws SnapshotOutdated when one is gone
   */
  async find(reader: string, language: Language, addresses: readonly PassageAddress[]): Promise<AnalysedPassage[]> {
    const found = addresses.map((address) => this.analysed.get(keyOf(address)));
    const unknown = addresses.filter((_, place) => !found[place]);
    const rows = unknown.length > 0 ? (await this.texts.find(reader, unknown)).rows : new Map<string, PassageRow>();
    return addresses.map((address, place) => {
      const row = rows.get(address.chunkId);
      if (!found[place] && !row) throw new SnapshotOutdated();
      return found[place] ?? this.analyse(keyOf(address), language, row!);
    });
  }

  private analyse(key: string, language: Language, row: PassageRow): AnalysedPassage {
    const text = row.title ? `${row.title}\n${row.content}` : row.content;
    const documentId = JSON.stringify([row.tenant_id, row.corpus_id, row.doc_id]);
    const passage = { documentId, ...passageTerms(analyzerFor(language).analyze(text)) };
    this.analysed.set(key, passage);
    return passage;
  }
}

const keyOf = ({ ownerTenantId, chunkId }: PassageAddress): string => `${ownerTenantId} ${chunkId}`;
