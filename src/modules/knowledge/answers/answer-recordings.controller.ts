import { Body, Controller, Headers, Param, UseGuards } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { created, ok, seats } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { FeatureDisabled } from '../../../common/problem/common-problems.js';
import { WatchLimitReached } from '../../continuity/watches/watches.problems.js';
import { CreditsExhausted } from '../../economy/ledger/economy.problems.js';
import { AnswerOfAnotherAgent } from '../citations/citations.problems.js';
import { SearchBehindGuard } from '../citations/search-behind.guard.js';
import {
  AnswerUnknown,
  ProofSubjectUnknown,
  UpstreamContractDrift,
  UpstreamRefused,
} from '../proofs/proofs.problems.js';
import { AnswerReadingService } from './answer-reading.service.js';
import { AnswerNow, AnswerRecorded, AnswerRecordingBody, RecordedAnswerPath } from './answer-recordings.dto.js';
import { AnswerRecordingsService } from './answer-recordings.service.js';

@Controller()
export class AnswerRecordingsController {
  constructor(
    private readonly recordings: AnswerRecordingsService,
    private readonly reading: AnswerReadingService,
  ) {}

  @UseGuards(SearchBehindGuard)
  @Route('POST /v1/answers', {
    tag: 'citations',
    summary: 'Record an answer, and have it proven and watched',
    description:
      'POST /v1/citations with the text of the answer, and in the same transaction, where prove or watch say so, POST /v1/proof/jobs and POST /v1/watches of it: everything, or nothing and the problem of the part that was refused. ' +
      'A watch of the same caller for the same agent on this answer goes on with the new version, and is answered.',
    access: seats('owner', 'admin', 'member'),
    reply: created(AnswerRecorded),
    problems: [
      ...[AnswerOfAnotherAgent, CreditsExhausted, FeatureDisabled, WatchLimitReached],
      ...[ProofSubjectUnknown, UpstreamContractDrift, UpstreamRefused],
    ],
  })
  recordAnswer(
    @Caller() caller: TenantCaller,
    @Body() body: AnswerRecordingBody,
    @Headers('x-idempotency-key') key: string | undefined,
  ): Promise<AnswerRecorded> {
    return this.recordings.record(caller, body, key || body.idempotencyKey || '');
  }

  @Route('GET /v1/answers/:answerId', {
    tag: 'citations',
    summary: 'Get an answer with what has become of it',
    description:
      'Its newest version: the text, each citation with whether it still holds, the watches on it and its newest proof. GET /v1/proof/answers/:answerId/receipt has the receipt.',
    access: seats('owner', 'admin', 'member'),
    reply: ok(AnswerNow),
    problems: [AnswerUnknown],
  })
  readAnswer(@Caller() caller: TenantCaller, @Param() { answerId }: RecordedAnswerPath): Promise<AnswerNow> {
    return this.reading.read(caller, answerId);
  }
}
