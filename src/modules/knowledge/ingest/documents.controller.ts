import { Controller, Param, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { ok, seats } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { LegalHold } from '../../../common/legal-holds/held-rows.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import {
  CorpusList,
  DocumentList,
  DocumentListQuery,
  DocumentPath,
  DocumentWithContent,
  DocumentWithdrawn,
} from './documents.dto.js';
import { DocumentsService } from './documents.service.js';
import { DocumentUnknown } from './ingest.problems.js';

@Controller()
export class DocumentsController {
  constructor(private readonly documents: DocumentsService) {}

  @Route('GET /v1/corpora', {
    tag: 'documents',
    summary: 'List corpora',
    access: seats('owner', 'admin', 'member'),
    reply: ok(CorpusList),
  })
  listCorpora(@Caller() caller: TenantCaller, @Query() query: PageQuery): Promise<CorpusList> {
    return this.documents.listCorpora(caller, query);
  }

  @Route('GET /v1/documents', {
    tag: 'documents',
    summary: 'List searchable documents',
    description:
      'In the order in which their present versions became searchable, so that updatedSince follows the changes.',
    access: seats('owner', 'admin', 'member'),
    reply: ok(DocumentList),
  })
  listDocuments(@Caller() caller: TenantCaller, @Query() query: DocumentListQuery): Promise<DocumentList> {
    return this.documents.listDocuments(caller, query);
  }

  @Route('GET /v1/documents/:corpusId/:docId', {
    tag: 'documents',
    summary: 'Get a document with its content',
    access: seats('owner', 'admin', 'member'),
    reply: ok(DocumentWithContent),
    problems: [DocumentUnknown],
  })
  readDocument(@Caller() caller: TenantCaller, @Param() path: DocumentPath): Promise<DocumentWithContent> {
    return this.documents.readDocument(caller, path);
  }

  @Route('DELETE /v1/documents/:corpusId/:docId', {
    tag: 'documents',
    summary: 'Delete a document from search',
    description:
      'Gone from every search when this answers, versions that are still queued included. Its passages stay stored where citations and proofs name them. Sending the docId again makes a new version.',
    access: seats('owner', 'admin', 'member'),
    reply: ok(DocumentWithdrawn),
    problems: [DocumentUnknown, LegalHold],
  })
  deleteDocument(@Caller() caller: TenantCaller, @Param() path: DocumentPath): Promise<DocumentWithdrawn> {
    return this.documents.withdraw(caller, path);
  }
}
