import { Body, Controller } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import { ok } from '../../common/contract/contract.js';
import { Acting, type DaemonCaller } from '../../daemon/auth/daemon-caller.js';
import { DaemonRoute } from '../../daemon/contract/daemon-route.decorator.js';
import { anyOf } from '../../daemon/contract/scopes.js';
import { Deadline } from '../../daemon/ingress/deadline.js';
import { AnalysisTooCostly, CorpusLanguageFixed } from '../ingest/ingest.problems.js';
import { CAPS, LocalIngestDocument, LocalIngestReply, LocalIngestRequest } from './local-ingest.dto.js';
import { DocumentNotProcessable, LocalIngestTooLarge } from './local-ingest.problems.js';
import { LocalIngestService } from './local-ingest.service.js';

@Controller()
@ApiExtraModels(LocalIngestDocument)
export class LocalIngestController {
  constructor(private readonly ingests: LocalIngestService) {}

  @DaemonRoute('POST /v1/local/ingest', {
    tag: 'local ingest',
    summary: 'Take documents in, searchable and sealed when this answers',
    description:
      'The documents become versions in the corpus of the tenant as by POST /v1/ingest of the tenant API, all or none, and every search finds them from the answer on. What came in is sealed besides as a segment (docs/formats/segments.md), which the receipt names by its digest and which is hashed again from then on. Calls are sealed one after another; one that waits longer than the time limit of requests (30 s) is answered 408 and has done nothing. A document sent again as it is stays at its version.',
    scopes: anyOf('admin:write'),
    tenantBound: true,
    flag: 'localIngest',
    caps: CAPS,
    reply: ok(LocalIngestReply),
    problems: [LocalIngestTooLarge, DocumentNotProcessable, AnalysisTooCostly, CorpusLanguageFixed],
  })
  ingest(
    @Acting() caller: DaemonCaller,
    @Body() body: LocalIngestRequest,
    @Deadline() deadline: AbortSignal,
  ): Promise<LocalIngestReply> {
    return this.ingests.ingest(caller, body, deadline);
  }
}
