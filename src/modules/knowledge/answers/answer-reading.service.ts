import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { WatchesService } from '../../continuity/watches/watches.service.js';
import type { Watch } from '../../continuity/watches/watches.dto.js';
import { AnswersService } from '../citations/answers.service.js';
import { recordedOf } from '../citations/citations.service.js';
import { SourceStatesService } from '../citations/source-states.service.js';
import { worstState } from '../citations/source-states.types.js';
import { ProofOrdersService } from '../proofs/proof-orders.service.js';
import { AnswerUnknown } from '../proofs/proofs.problems.js';
import type { AnswerNow } from './answer-recordings.dto.js';

const MAX_WATCHES = 50;

/** Reads a recorded answer with what has become of it. */
@Injectable()
export class AnswerReadingService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly answers: AnswersService,
    private readonly states: SourceStatesService,
    private readonly proofs: ProofOrdersService,
    private readonly watches: WatchesService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws AnswerUnknown */
  read(caller: TenantCaller, answerId: string): Promise<AnswerNow> {
    return this.tenancy.run(caller.tenantId, async () => {
      const found = await this.answers.findAnswer(answerId);
      if (!found)
        throw new AnswerUnknown({ answerId }, `No answer ${answerId} is recorded; POST /v1/answers records one`);
      const { recordedBy: _, recordedAt, retrieval, ...answer } = found.answer;
      const now = await this.states.look(found.citations.map(({ chunk }) => chunk));
      const { features } = this.settings;
      const proof = features.proofs ? await this.proofs.findNewest(caller, answerId) : undefined;
      return {
        ...answer,
        recordedAt: recordedAt.toISOString(),
        retrievalId: retrieval?.retrievalId ?? null,
        state: worstState(now.map(({ state }) => state)),
        citations: found.citations.map((citation, index) => {
          const { state } = now[index]!;
          const { title, url } = citation.chunk;
          return { ...recordedOf(citation, caller.tenantId), current: state === 'holds', title, url, state };
        }),
        watches: await this.findWatches(caller, answerId),
        proof: proof ?? null,
      };
    });
  }

  private async findWatches(caller: TenantCaller, answerId: string): Promise<Watch[]> {
    if (!this.settings.features.watches || caller.tier === 'free') return [];
    return this.watches.listOfAnswer(caller, answerId, MAX_WATCHES);
  }
}
