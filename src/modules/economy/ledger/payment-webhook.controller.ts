import { Controller, Headers } from '@nestjs/common';
import { anyone, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { RawBody } from '../../../common/http/raw-body.js';
import { Unauthorized } from '../../../common/problem/common-problems.js';
import { ConversionUnknown } from './economy.problems.js';
import { PaymentEvent, PaymentEventAcknowledged } from './payment-webhook.dto.js';
import { PaymentWebhookService } from './payment-webhook.service.js';

const SIGNATURE = {
  name: 'x-payment-signature',
  required: true,
  description:
    't=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body" under SVC_PAYMENT_WEBHOOK_SECRET>, made within 5 minutes of now. Several v1 may be sent while a secret is replaced; one must fit.',
};

@Controller()
export class PaymentWebhookController {
  constructor(private readonly webhook: PaymentWebhookService) {}

  @Route('POST /v1/webhooks/payment/conversions', {
    tag: 'economy',
    summary: 'Receive a payment provider event',
    description:
      'Reports the outcome of a conversion. Verified by its signature over the bytes of the body alone, before anything of it is read: without one, with a wrong or stale one, or on a server without the secret it is 401. ' +
      'conversion.applied burns the escrow and counts the discount; conversion.failed gives the credits back. An event id counts once: sent again it is 200 with duplicate: true. ' +
      'The first final state of a conversion stands: later events are acknowledged as ignored and kept. Bodies past 16 KiB are 413.',
    access: anyone(),
    body: 'bytes',
    parameters: [SIGNATURE],
    requestBody: { content: { 'application/json': { schema: PaymentEvent } } },
    reply: ok(PaymentEventAcknowledged),
    problems: [Unauthorized, ConversionUnknown],
  })
  receivePaymentEvent(
    @Headers('x-payment-signature') signature: string | undefined,
    @RawBody() body: Buffer,
  ): Promise<PaymentEventAcknowledged> {
    return this.webhook.receive(signature, body);
  }
}
