import { Controller, Headers, Param } from '@nestjs/common';
import { anyone, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { RawBody } from '../../../common/http/raw-body.js';
import { Unauthorized } from '../../../common/problem/common-problems.js';
import { GithubWebhookService } from './github-webhook.service.js';
import { DeliveryTaken, IntegrationPath } from './integrations.dto.js';

const HEADERS = [
  {
    name: 'x-hub-signature-256',
    required: true,
    description: 'sha256=<hex HMAC-SHA256 of the body> with the secret of the integration.',
  },
  { name: 'x-github-event', required: true, description: 'What happened; `issues` and `pull_request` are read.' },
  { name: 'x-github-delivery', required: true, description: 'The id of the delivery: each is taken once.' },
];

@Controller()
export class GithubWebhookController {
  constructor(private readonly webhook: GithubWebhookService) {}

  @Route('POST /v1/integrations/github/webhooks/:id', {
    ...{ tag: 'integrations', flag: 'integrations', extension: true, summary: 'Receive a webhook of GitHub' },
    description:
      'Verified by its signature over the bytes of the body, before anything of it is read: without one, with a wrong one, or of an integration that is not connected it is 401. The later state of an issue or a pull request stands; work items that name it get a comment when it changes. Content type application/json. Bodies past 1 MiB are 413.',
    access: anyone(),
    body: 'bytes',
    bodyLimit: 1024 * 1024,
    parameters: HEADERS,
    reply: ok(DeliveryTaken),
    problems: [Unauthorized],
  })
  receiveGithubWebhook(
    @Param() { id }: IntegrationPath,
    @Headers('x-hub-signature-256') signature: string | undefined,
    @Headers('x-github-event') event: string | undefined,
    @Headers('x-github-delivery') delivery: string | undefined,
    @RawBody() body: Buffer,
  ): Promise<DeliveryTaken> {
    return this.webhook.receive(id, { signature, event, delivery }, body);
  }
}
