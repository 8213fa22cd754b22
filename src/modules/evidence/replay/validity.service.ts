import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { Problem } from '../../../common/problem/problem.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AnswersService } from '../../knowledge/citations/answers.service.js';
import type { RecordedSearch } from '../../knowledge/citations/citations.types.js';
import { PresentDocumentsViews } from '../../knowledge/citations/present-documents.views.js';
import { LaneSearchService } from '../../knowledge/retrieval/lane-search.service.js';
import type { Passage } from '../../knowledge/retrieval/retrieval.types.js';
import { placePassages, type Present } from './drift.rules.js';
import { RecordedAnswersService } from './recorded-answers.service.js';
import type { ReplayQuery } from './replay.dto.js';
import type { AnswerValidity } from './validity.dto.js';
import { reportValidity } from './validity.rules.js';

/** The recorded search, done again. */
export interface RepeatedSearch {
  /** null: none is recorded, or it cannot be done. */
  ranking: readonly Passage[] | null;
  /** Whether it could not be done though one is recorded: something of the index is not what was written. */
  isBroken: boolean;
  detail: string;
  /** What it ranks by; null when it was not done. */
  profile: string | null;
}

/** Holds recorded answers against what there is now: their records, their sources and the search behind them. */
@Injectable()
export class ValidityService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly recorded: RecordedAnswersService,
    private readonly answers: AnswersService,
    private readonly documents: PresentDocumentsViews,
    private readonly searches: LaneSearchService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws AnswerUnknown, ShardUnknown, ServiceUnavailable */
  async read(caller: DaemonCaller, answerId: string, query: ReplayQuery): Promise<AnswerValidity> {
    const { tenant_id: tenantId, shard_id, version } = query;
    await this.recorded.checkShard(shard_id);
    const found = await this.tenants.run(caller, tenantId, () => this.readRecords(answerId, version));
    const { asked, newest, present, attestation } = found;
    // Outside of the unit of work, which would hold a connection meanwhile.
    const search = await this.repeat(tenantId, asked.answer.retrieval);
    const now: Present = { tenantId, ...present, ranking: search.ranking };
    return reportValidity({
      tenantId,
      asked,
      newest,
      attestation,
      search,
      placed: placePassages(asked.citations, asked.answer.retrieval, now),
      placedNewest: placePassages(newest.citations, null, now),
    });
  }

  private async readRecords(answerId: string, version: number | undefined) {
    const { asked, newest } = await this.recorded.read(answerId, version);
    const chunks = [...asked.citations, ...newest.citations].map(({ chunk }) => chunk);
    const present = {
      documents: await this.documents.findPresent(chunks),
      chunks: await this.answers.findChunks(chunks.map(({ chunkId }) => chunkId)),
    };
    return { asked, newest, present, attestation: await this.recorded.attest(asked) };
  }

  /**
   * In its lane, as the tenant may see the passages now.
   * @throws ServiceUnavailable, when it cannot be done just now
   */
  private async repeat(tenantId: string, search: RecordedSearch | null): Promise<RepeatedSearch> {
    if (search === null) return { ranking: null, isBroken: false, detail: 'not recorded', profile: null };
    try {
      const { passages, backend } = await this.searches.search(tenantId, search.request, search.lane);
      const profile = backend === 'none' ? 'lexical' : `lexical+vectors:${this.settings.retrieval.embeddingsModel}`;
      return { ranking: passages, isBroken: false, detail: 'repeated', profile };
    } catch (error) {
      if (!(error instanceof Problem) || error.retryable) throw error;
      return { ranking: null, isBroken: true, detail: error.message || error.kind.title, profile: null };
    }
  }
}
