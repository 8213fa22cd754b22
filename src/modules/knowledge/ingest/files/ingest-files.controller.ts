import { Controller, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../../common/contract/caller.js';
import { accepted, seats, type DocumentedBody } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { Upload, type UploadBody } from '../../../../common/http/uploaded-file.js';
import { FILE_KINDS } from '../extraction/file-kind.rules.js';
import { IngestAccepted } from '../ingest.dto.js';
import { IngestFileMembers } from './ingest-files.dto.js';
import { IngestFilesService } from './ingest-files.service.js';

const BYTES = { type: 'string', format: 'binary' };
const FORM = {
  allOf: [IngestFileMembers, { type: 'object', properties: { file: BYTES }, required: ['file'] }],
};
const BODY: DocumentedBody = {
  description: 'The file as the part `file` of a form, or alone under its own content type.',
  content: {
    'multipart/form-data': { schema: FORM },
    ...Object.fromEntries(
      [...Object.values(FILE_KINDS), 'application/octet-stream'].map((type) => [type, { schema: BYTES }]),
    ),
  },
};

@Controller()
export class IngestFilesController {
  constructor(private readonly files: IngestFilesService) {}

  @Route('POST /v1/ingest/file', {
    tag: 'ingest',
    summary: 'Ingest a file',
    description:
      'PDF, DOCX, XLSX, PPTX, EPUB, RTF, e-mail, HTML, Markdown, CSV, TSV, JSON and text in any character set. Answers at once; GET /v1/ingest/{id} says completed when the document is searchable, or failed and why: a file that is damaged, encrypted, empty, or not what its name or type says. ' +
      'The members are fields of the form, or parameters of the query. SVC_MAX_FILE_MIB bounds the file. Passages of the document say where in the file they stand.',
    access: seats('owner', 'admin', 'member'),
    reply: accepted(IngestAccepted),
    body: 'file',
    requestBody: BODY,
  })
  ingestFile(
    @Caller() caller: TenantCaller,
    @Query() query: IngestFileMembers,
    @Upload() body: UploadBody,
  ): Promise<IngestAccepted> {
    return this.files.accept(caller, query, body);
  }
}
