import { Controller, Param, Query } from '@nestjs/common';
import { anyOf, ok } from '../../../common/contract/contract.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { AnswerAddress, AnswerReplay, ReplayQuery } from './replay.dto.js';
import { AnswerUnknown, ShardUnknown } from './replay.problems.js';
import { ReplayService } from './replay.service.js';
import { AnswerValidity } from './validity.dto.js';
import { ValidityService } from './validity.service.js';

const declared = {
  tag: 'replay',
  access: anyOf('admin:read', 'replay:answer'),
  tenantBound: true as const,
  problems: [AnswerUnknown, ShardUnknown],
};

@Controller()
export class ReplayController {
  constructor(
    private readonly replays: ReplayService,
    private readonly validities: ValidityService,
  ) {}

  @Route('GET /v1/replay/answers/:answerId', {
    ...declared,
    summary: 'Replay a recorded answer',
    description:
      'Answers come to be by POST /v1/citations of the tenant API. What is shown is what was recorded then, also when its sources have changed or are ' +
      'gone; nothing is searched or generated, so the same version is replayed the same for ever. as_attested says whether that is still what the signed ' +
      'receipt of its recording attests.',
    reply: ok(AnswerReplay),
  })
  replayAnswer(
    @Caller() caller: DaemonCaller,
    @Param() { answerId }: AnswerAddress,
    @Query() query: ReplayQuery,
  ): Promise<AnswerReplay> {
    return this.replays.replay(caller, answerId, query);
  }

  @Route('GET /v1/replay/answers/:answerId/validity', {
    ...declared,
    summary: 'Check whether an answer still holds',
    description:
      'Checks the records against the signed receipt, the cited passages against the documents as the tenant sees them now, and does the recorded ' +
      'search again. Of a document of another tenant that cannot be seen any more it says access_lost, whether it was deleted or is not shared.',
    reply: ok(AnswerValidity),
  })
  readValidity(
    @Caller() caller: DaemonCaller,
    @Param() { answerId }: AnswerAddress,
    @Query() query: ReplayQuery,
  ): Promise<AnswerValidity> {
    return this.validities.read(caller, answerId, query);
  }
}
