import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { EmbeddingService } from '../retrieval/vectors/embedding.service.js';
import { AnalysisExhausted } from './analysis/analysis.pool.js';
import { IngestIndexingService } from './ingest-indexing.service.js';
import { AnalysisTooCostly } from './ingest.problems.js';
import { digested } from './ingest.rules.js';
import { IngestStore } from './ingest.store.js';
import type { DirectDocument, IngestedDocument, PlannedVersion, VectorCount } from './ingest.types.js';
import { VersionsService } from './versions.service.js';

/**
 * Ingests documents and makes them searchable in the open unit of work, for modules that answer once both are done:
 * first `record`, then `publish`. From its commit on every search finds them by their words, after `embed` by vectors
 * too.
 */
@Injectable()
export class DirectIngestService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly versions: VersionsService,
    private readonly store: IngestStore,
    private readonly indexing: IngestIndexingService,
    private readonly embedding: EmbeddingService,
  ) {}

  /**
   * Counts and records the versions of checked documents.
   * @param acceptedBy the principal
   * @throws CorpusLanguageFixed
   */
  record(documents: readonly DirectDocument[], acceptedBy: string): Promise<PlannedVersion[]> {
    return this.versions.record(documents.map((document) => ({ ...digested(document), acceptedBy })));
  }

  /**
   * Brings recorded versions into search in place of those before.
   * @param receiptId the receipt that says they were accepted
   * @returns what became of each, in their order; one with an error is not in search, and its unit of work may be given
   * up
   * @throws AnalysisTooCostly
   */
  async publish(planned: readonly PlannedVersion[], receiptId: string): Promise<IngestedDocument[]> {
    const ingests = planned.map(({ submission: { corpusId, docId }, version }) => ({
      ingestId: uuid(),
      receiptId,
      corpusId,
      docId,
      version,
    }));
    this.store.recordIngests(ingests);
    const ingestIds = ingests.map(({ ingestId }) => ingestId);
    await this.index(ingestIds);
    const outcomes = await this.store.readOutcomes(ingestIds);
    return planned.map(({ version, isNew }, index) => {
      const { error, chunk_count } = outcomes.get(ingestIds[index]!)!;
      return { version, isNew, chunkCount: chunk_count, error };
    });
  }

  /**
   * Makes vectors for committed versions, outside any unit of work, as many as can be made in `ms`; workers make the
   * rest.
   */
  embed(tenantId: string, planned: readonly PlannedVersion[], ms: number): Promise<VectorCount> {
    const versions = planned.map(({ submission: { corpusId, docId }, version }) => ({ corpusId, docId, version }));
    return this.embedding.embedNow(tenantId, versions, ms);
  }

  private async index(ingestIds: readonly string[]): Promise<void> {
    try {
      await this.indexing.indexTogether(this.tenancy.tenant, ingestIds);
    } catch (error) {
      if (!(error instanceof AnalysisExhausted)) throw error;
      throw new AnalysisTooCostly({}, 'The documents took too much time or memory to analyse. Divide them');
    }
  }
}
