import { Body, Controller } from '@nestjs/common';
import { ok } from '../../common/contract/contract.js';
import { Acting, type DaemonCaller } from '../../daemon/auth/daemon-caller.js';
import { DaemonRoute } from '../../daemon/contract/daemon-route.decorator.js';
import { anyOf } from '../../daemon/contract/scopes.js';
import { Deadline } from '../../daemon/ingress/deadline.js';
import { ImportEnvelopeReply, ImportEnvelopeRequest } from './envelopes.dto.js';
import { ContentHashMismatch, EnvelopeImported, EnvelopeNotVerified } from './envelopes.problems.js';
import { EnvelopesService } from './envelopes.service.js';

@Controller()
export class EnvelopesController {
  constructor(private readonly envelopes: EnvelopesService) {}

  @DaemonRoute('POST /v1/result-envelope/import', {
    tag: 'result envelopes',
    summary: "Import the result of a platform's job, once",
    description:
      'The signature of the platform must hold over the envelope (403 EnvelopeNotVerified says why it does not), and the hash over the payload (400 ContentHashMismatch). What the payload holds of facts, entities and edges is then stored, all or nothing, in the same transaction as the receipt (result_envelope.imported). A second import of the job answers 409 EnvelopeImported with what the first one made. docs/formats/result-envelope.md says how an envelope is made.',
    scopes: anyOf('facts:write'),
    tenantBound: true,
    reply: ok(ImportEnvelopeReply),
    problems: [EnvelopeNotVerified, ContentHashMismatch, EnvelopeImported],
    bodyLimit: 64 * 1024 * 1024,
  })
  importEnvelope(
    @Acting() caller: DaemonCaller,
    @Body() body: ImportEnvelopeRequest,
    @Deadline() deadline: AbortSignal,
  ): Promise<ImportEnvelopeReply> {
    return this.envelopes.import(caller, body, deadline);
  }
}
