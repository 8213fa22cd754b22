import { Body, Controller } from '@nestjs/common';
import { anyOf, okBytes } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { Deadline } from '../../../common/ingress/deadline.js';
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
      'Request and answer are those of the OpenAI embeddings API; the endpoint is SVC_EMBEDDINGS_URL, and nothing is kept. While SVCD_COMPUTE_PROVIDER is off, or there is no endpoint, the answer is 200 with `"enabled": false`, which says what to set; the body is not looked at then. An endpoint that is away or busy answers 503, one that refuses the texts 502.',
    access: anyOf('compute:embed'),
    flag: 'compute',
    reply: okBytes('application/json; charset=utf-8', { oneOf: [EmbeddingList, CapabilityDisabled] }),
    problems: [EmbeddingsRefused],
    bodyLimit: 512 * 1024,
    requestBody: { content: { 'application/json': { schema: EmbedRequest } } },
  })
  async embed(@Body() body: object, @Deadline() deadline: AbortSignal): Promise<string> {
    return JSON.stringify(await this.compute.embed(body, deadline));
  }
}
