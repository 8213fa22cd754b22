import { Inject, Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { ShieldPipeline } from '../../../common/call-policy/shield-pipeline.js';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { requireFeature, requirePaidTier } from '../../../common/contract/part-refusals.js';
import { lockToCopy } from '../../../common/tenancy/copied-texts.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { WatchesService } from '../../continuity/watches/watches.service.js';
import { CitationsService } from '../citations/citations.service.js';
import { ProofOrdersService } from '../proofs/proof-orders.service.js';
import type { ProofJobRecord } from '../proofs/proofs.dto.js';
import type { AnswerRecorded, AnswerRecordingBody } from './answer-recordings.dto.js';

type NamedAnswer = AnswerRecordingBody & { answerId: string };

/**
 * Records an answer and, where that is asked for, has it proven and watched: all of it or nothing. Needs an open unit
 * of work of the caller's tenant.
 */
@Injectable()
export class AnswerRecordingsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly citations: CitationsService,
    private readonly proofs: ProofOrdersService,
    private readonly watches: WatchesService,
    private readonly shield: ShieldPipeline,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws what POST /v1/citations, POST /v1/proof/jobs and POST /v1/watches refuse, of the part that is refused */
  async record(caller: TenantCaller, body: AnswerRecordingBody, idempotencyKey: string): Promise<AnswerRecorded> {
    const { agentId, prove, watch } = body;
    if (prove !== undefined) requireFeature('proofs', this.settings);
    if (watch) {
      requireFeature('watches', this.settings);
      requirePaidTier(caller);
    }
    // Before what the parts lock: who waits for those may copy already, and an erasure waits for him.
    await lockToCopy(this.tenancy);
    const answer = { ...body, answerId: body.answerId ?? uuid() };
    const ordered = await this.reserve(caller, answer, idempotencyKey);
    const acknowledgement = await this.citations.record(caller, answer);
    const watched = watch
      ? await this.asPart(caller, 'POST /v1/watches', body, () =>
          this.watches.holdAnswer(caller, agentId, answer.answerId),
        )
      : null;
    const proof = ordered ?? (await this.prove(caller, answer, idempotencyKey));
    return { ...acknowledgement, proof, watch: watched };
  }

  /**
   * Locks what the parts will lock, before the receipt of the answer, for which others may wait with that locked. For
   * the same reason another server that makes proofs is asked first; it does not read the answer here.
   */
  private async reserve(caller: TenantCaller, answer: NamedAnswer, key: string): Promise<ProofJobRecord | null> {
    if (answer.watch) await this.watches.reserve();
    if (answer.prove === undefined) return null;
    if (!this.proofs.isElsewhere) {
      await this.proofs.reserve(caller, answer.agentId);
      return null;
    }
    await this.citations.check(answer);
    return this.prove(caller, answer, key);
  }

  private async prove(caller: TenantCaller, answer: NamedAnswer, key: string): Promise<ProofJobRecord | null> {
    const { agentId, answerId, prove: mode } = answer;
    if (mode === undefined) return null;
    return this.asPart(caller, 'POST /v1/proof/jobs', answer, () =>
      this.proofs.open(caller, { request: { agentId, answerId, mode }, idempotencyKey: key }),
    );
  }

  /** What stops the route of a part stops the part. An approval of it is bound to all that was sent but made-up ids. */
  private asPart<T>(
    caller: TenantCaller,
    action: string,
    { agentId, answerText, citations, prove, watch }: AnswerRecordingBody,
    effect: () => Promise<T>,
  ): Promise<T> {
    const sent = { agentId, answerText, citations, prove, watch };
    return this.shield.run({ caller, action, isRead: false, arguments: sent }, effect);
  }
}
