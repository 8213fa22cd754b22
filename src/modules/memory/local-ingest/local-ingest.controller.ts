import { Body, Controller } from '@nestjs/common';
import { anyOf, ok } from '../../../common/contract/contract.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { Deadline } from '../../../common/ingress/deadline.js';
import { AnalysisTooCostly, CorpusLanguageFixed } from '../../knowledge/ingest/ingest.problems.js';
import { CAPS, LocalIngestReply, LocalIngestRequest } from './local-ingest.dto.js';
import { DocumentNotProcessable, LocalIngestTooLarge } from './local-ingest.problems.js';
import { LocalIngestService } from './local-ingest.service.js';

@Controller()
export class LocalIngestController {
  constructor(private readonly ingests: LocalIngestService) {}

  @Route('POST /v1/local/ingest', {
    tag: 'local ingest',
    summary: 'Ingest documents, searchable and sealed on return',
    description:
      'The documents become versions in the corpus of the tenant as by POST /v1/ingest of the tenant API, all or none, and every search finds them once this returns. The documents are also sealed as a segment (docs/formats/segments.md), which the receipt names by its digest and which is hashed again from then on. Calls are sealed one after another; one that waits longer than the time limit of requests (30 s) is answered 408 and has done nothing. A document sent again as it is stays at its version.',
    access: anyOf('admin:write'),
    tenantBound: true,
    flag: 'localIngest',
    caps: CAPS,
    reply: ok(LocalIngestReply),
    problems: [LocalIngestTooLarge, DocumentNotProcessable, AnalysisTooCostly, CorpusLanguageFixed],
  })
  ingestDocuments(
    @Caller() caller: DaemonCaller,
    @Body() body: LocalIngestRequest,
    @Deadline() deadline: AbortSignal,
  ): Promise<LocalIngestReply> {
    return this.ingests.ingest(caller, body, deadline);
  }
}
