import { Injectable } from '@nestjs/common';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AnswersService } from '../../knowledge/citations/answers.service.js';
import { SourceStatesService } from '../../knowledge/citations/source-states.service.js';
import { ContentService } from '../../knowledge/ingest/content.service.js';
import { RepeatedSearchService } from '../../knowledge/retrieval/repeated-search.service.js';
import { placePassages } from './drift.rules.js';
import { RecordedAnswersService } from './recorded-answers.service.js';
import type { ReplayQuery } from './replay.dto.js';
import type { AnswerValidity } from './validity.dto.js';
import { reportValidity } from './validity.rules.js';

/** Holds recorded answers against what there is now: their records, their sources and the search behind them. */
@Injectable()
export class ValidityService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly recorded: RecordedAnswersService,
    private readonly answers: AnswersService,
    private readonly states: SourceStatesService,
    private readonly content: ContentService,
    private readonly searches: RepeatedSearchService,
  ) {}

  /** @throws AnswerUnknown, ShardUnknown, ServiceUnavailable */
  async read(caller: DaemonCaller, answerId: string, query: ReplayQuery): Promise<AnswerValidity> {
    const { tenant_id: tenantId, shard_id, version } = query;
    await this.recorded.checkShard(shard_id);
    const found = await this.tenants.run(caller, tenantId, () => this.readRecords(answerId, version));
    const { asked, newest, present, placedNewest, attestation } = found;
    // Outside of the unit of work, which would hold a connection meanwhile.
    const search = await this.searches.repeat(tenantId, asked.answer.retrieval);
    return reportValidity({
      tenantId,
      asked,
      newest,
      attestation,
      search,
      placed: placePassages(asked.citations, asked.answer.retrieval, { ...present, ranking: search.ranking }),
      placedNewest,
    });
  }

  private async readRecords(answerId: string, version: number | undefined) {
    const { asked, newest } = await this.recorded.read(answerId, version);
    const present = {
      // First: what its owner erases afterwards is found to be gone, and not altered.
      contents: await this.content.check(asked.citations.map(({ chunk }) => chunk)),
      passages: await this.states.look(asked.citations.map(({ chunk }) => chunk)),
      chunks: await this.answers.findChunks(asked.citations.map(({ chunk }) => chunk.chunkId)),
    };
    const placedNewest =
      asked === newest ? present.passages : await this.states.look(newest.citations.map(({ chunk }) => chunk));
    return { asked, newest, present, placedNewest, attestation: await this.answers.attest(asked) };
  }
}
