import { Body, Controller } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, okBytes } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { Deadline } from '../../../common/ingress/deadline.js';
import { CreditsExhausted } from '../../economy/ledger/economy.problems.js';
import { CapabilityDisabled, EmbeddingList, EmbedRequest } from './compute.dto.js';
import { EmbeddingsRefused } from './compute.problems.js';
import { ComputeService } from './compute.service.js';

@Controller()
export class ComputeController {
  constructor(private readonly compute: ComputeService) {}

  @Route('POST /v1/compute/embed', {
    tag: 'compute',
    summary: 'Embed texts at the configured endpoint',
    description:
      'Request and answer are those of the OpenAI embeddings API; the endpoint is SVC_EMBEDDINGS_URL, and nothing is kept. While SVCD_COMPUTE_PROVIDER is off, or there is no endpoint, the answer is 200 with `"enabled": false`, which says what to set; the body is not looked at then. An endpoint that is away or busy answers 503, one that refuses the texts 502. With SVCD_CREDIT_METER it costs 1 credit for 64 texts or less, which the answer says in `credits`; none where no vectors come.',
    access: anyOf('compute:embed'),
    flag: 'compute',
    reply: okBytes('application/json; charset=utf-8', { oneOf: [EmbeddingList, CapabilityDisabled] }),
    problems: [EmbeddingsRefused, CreditsExhausted],
    bodyLimit: 512 * 1024,
    requestBody: { content: { 'application/json': { schema: EmbedRequest } } },
  })
  async embedTexts(
    @Caller() caller: DaemonCaller,
    @Body() body: object,
    @Deadline() deadline: AbortSignal,
  ): Promise<string> {
    return JSON.stringify(await this.compute.embed(caller, body, deadline));
  }
}
