import { Body, Controller, UseGuards } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { created, seats } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { CitationAcknowledgement, CitationRecordingBody } from './citations.dto.js';
import { AnswerOfAnotherAgent } from './citations.problems.js';
import { CitationsService } from './citations.service.js';
import { SearchBehindGuard } from './search-behind.guard.js';

@Controller()
export class CitationsController {
  constructor(private readonly citations: CitationsService) {}

  @UseGuards(SearchBehindGuard)
  @Route('POST /v1/citations', {
    tag: 'citations',
    summary: 'Record the citations of an answer',
    description:
      'Makes the answer exist for proofs. Every citation is checked against the passage as this tenant sees it and kept with its digest and version; ' +
      'one that names an unknown passage, or words that do not stand in it, refuses the whole recording. A further recording under the same answerId is a new version: ' +
      'the earlier ones stay, proofs take the newest. An answerId belongs to the agent that recorded it first.',
    access: seats('owner', 'admin', 'member'),
    reply: created(CitationAcknowledgement),
    problems: [AnswerOfAnotherAgent],
  })
  recordCitations(
    @Caller() caller: TenantCaller,
    @Body() body: CitationRecordingBody,
  ): Promise<CitationAcknowledgement> {
    return this.citations.record(caller, body);
  }
}
