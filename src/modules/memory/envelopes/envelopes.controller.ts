import { Body, Controller } from '@nestjs/common';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { MANY_JSON_MEMBERS } from '../../../common/http/json-body.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { Deadline } from '../../../common/ingress/deadline.js';
import { ImportEnvelopeReply, ImportEnvelopeRequest } from './envelopes.dto.js';
import { ContentHashMismatch, EnvelopeImported, EnvelopeNotVerified } from './envelopes.problems.js';
import { EnvelopesService } from './envelopes.service.js';

@Controller()
export class EnvelopesController {
  constructor(private readonly envelopes: EnvelopesService) {}

  @Route('POST /v1/result-envelope/import', {
    tag: 'result envelopes',
    summary: 'Import the result of a platform job',
    description:
      'The platform signature must be valid for the envelope (otherwise 403 EnvelopeNotVerified says why), and the hash must match the payload (otherwise 400 ContentHashMismatch). The facts, entities and edges of the payload are then stored, all or nothing, in the same transaction as the receipt (result_envelope.imported). Each job is imported once. A second import of the job answers 409 EnvelopeImported with what the first one made. docs/formats/result-envelope.md says how an envelope is made.',
    access: anyOf('facts:write'),
    tenantBound: true,
    reply: ok(ImportEnvelopeReply),
    problems: [EnvelopeNotVerified, ContentHashMismatch, EnvelopeImported],
    bodyLimit: 64 * 1024 * 1024,
    memberLimit: MANY_JSON_MEMBERS,
  })
  importEnvelope(
    @Caller() caller: DaemonCaller,
    @Body() body: ImportEnvelopeRequest,
    @Deadline() deadline: AbortSignal,
  ): Promise<ImportEnvelopeReply> {
    return this.envelopes.import(caller, body, deadline);
  }
}
