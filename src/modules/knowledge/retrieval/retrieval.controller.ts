import { Body, Controller } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { ok, seatsOrDiscovery } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { QuotaExhausted } from '../../access/agents/agents.problems.js';
import { CreditsExhausted } from '../../economy/ledger/economy.problems.js';
import { RetrievalRequest, RetrievalResponse } from './retrieval.dto.js';
import { IndexCorrupted, PassageCorrupted } from './retrieval.problems.js';
import { RetrievalService } from './retrieval.service.js';

@Controller()
export class RetrievalController {
  constructor(private readonly retrieval: RetrievalService) {}

  @Route('POST /v1/retrieve', {
    tag: 'retrieval',
    summary: 'Retrieve the best passages for a query',
    description:
      'BM25 over everything the tenant may see. A document is found from the moment its ingest is completed, and gone from the moment its deletion is answered. It reads only: no idempotency key is needed. ' +
      "Searching one's own and bought corpora is free; where passages of the commons are searched it costs 1 credit, on the free tier 5, and 429 CreditsExhausted when there are none left: includeCommons: false goes on for free. " +
      'An agent without a sponsor searches the commons alone, whatever includeCommons says, for 5 credits of its budget and one of its queries of the UTC day; 429 QuotaExhausted counts against neither.',
    access: seatsOrDiscovery('owner', 'admin', 'member', 'viewer'),
    reply: ok(RetrievalResponse),
    problems: [CreditsExhausted, QuotaExhausted, IndexCorrupted, PassageCorrupted],
    idempotent: false,
  })
  retrievePassages(@Caller() caller: TenantCaller, @Body() request: RetrievalRequest): Promise<RetrievalResponse> {
    return this.retrieval.retrieve(caller, request);
  }
}
