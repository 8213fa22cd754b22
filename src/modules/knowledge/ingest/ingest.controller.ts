import { Body, Controller, Param } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { accepted, ok, seats } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import {
  IngestAccepted,
  IngestBatchAccepted,
  IngestBatchRequest,
  IngestPath,
  IngestRequest,
  IngestStatus,
} from './ingest.dto.js';
import { CorpusLanguageFixed, IngestUnknown } from './ingest.problems.js';
import { IngestService } from './ingest.service.js';

const MIB = 1024 * 1024;
/** 4 MiB of content may take six times that as JSON escapes. */
const ONE_DOCUMENT = 26 * MIB;
const MANY_DOCUMENTS = 64 * MIB;

const VERSIONS =
  'A docId sent again with the same content, title, url, shareability and metadata is the same version; with anything different it is a new one, which replaces the old one in search in one step. Of versions accepted one after another the last one stays.';

@Controller()
export class IngestController {
  constructor(private readonly ingests: IngestService) {}

  @Route('POST /v1/ingest', {
    tag: 'ingest',
    summary: 'Ingest a document',
    description: `Answers at once; the document is searchable when GET /v1/ingest/{id} says completed. ${VERSIONS}`,
    access: seats('owner', 'admin', 'member'),
    grouped: true,
    reply: accepted(IngestAccepted),
    problems: [CorpusLanguageFixed],
    bodyLimit: ONE_DOCUMENT,
  })
  ingestDocument(@Caller() caller: TenantCaller, @Body() body: IngestRequest): Promise<IngestAccepted> {
    return this.ingests.accept(caller, body);
  }

  @Route('POST /v1/ingest/batch', {
    tag: 'ingest',
    summary: 'Ingest a batch of documents',
    description: `Up to 500 documents, all or none, at most 64 MiB a request. ${VERSIONS} The same document twice in one batch counts as two requests in that order.`,
    access: seats('owner', 'admin', 'member'),
    reply: accepted(IngestBatchAccepted),
    problems: [CorpusLanguageFixed],
    bodyLimit: MANY_DOCUMENTS,
  })
  ingestDocuments(@Caller() caller: TenantCaller, @Body() body: IngestBatchRequest): Promise<IngestBatchAccepted> {
    return this.ingests.acceptBatch(caller, body);
  }

  @Route('GET /v1/ingest/:id', {
    tag: 'ingest',
    summary: 'Get the status of an ingest',
    description:
      'queued, processing where it takes a while, then completed or failed. Failed attempts are repeated with growing pauses; a document that cannot be indexed fails at once, and the version before it stays in search.',
    access: seats('owner', 'admin', 'member'),
    reply: ok(IngestStatus),
    problems: [IngestUnknown],
  })
  readIngest(@Caller() caller: TenantCaller, @Param() { id }: IngestPath): Promise<IngestStatus> {
    return this.ingests.read(caller, id);
  }
}
