import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { ContractPipe } from '../../../common/fields/contract.pipe.js';
import { readJson } from '../../../common/http/json-body.js';
import { Unauthorized } from '../../../common/problem/common-problems.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { AllConversions } from './all-conversions.store.js';
import { ConversionsStore } from './conversions.store.js';
import { ConversionUnknown } from './economy.problems.js';
import type { FinalState } from './economy.types.js';
import { isSignedBy } from './payment-signature.rules.js';
import { PaymentEvent, type PaymentEventAcknowledged, type WebhookOutcome } from './payment-webhook.dto.js';
import { type Settlement, SettlementService } from './settlement.service.js';

/** Who acts when the payment provider reports. */
const PROVIDER = { principal: 'svc:payment-provider', authType: 'webhook_signature' };
const STATES = new Map<string, FinalState>([
  ['conversion.applied', 'applied'],
  ['conversion.failed', 'failed'],
]);

/** What the payment provider reports of conversions: each event counts once, and the first final state stands. */
@Injectable()
export class PaymentWebhookService {
  private readonly contract = new ContractPipe();

  constructor(
    private readonly tenancy: Tenancy,
    private readonly crossTenant: CrossTenant,
    private readonly conversions: ConversionsStore,
    private readonly settlements: SettlementService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws Unauthorized before a byte of the body is interpreted, unless the signature covers it */
  async receive(signature: string | undefined, body: Buffer): Promise<PaymentEventAcknowledged> {
    this.authenticate(signature, body);
    const event = this.contract.transform(readJson(body), { type: 'body', metatype: PaymentEvent }) as PaymentEvent;
    const state = STATES.get(event.type);
    if (!state) return { received: true, duplicate: false, outcome: 'ignored' };
    const { conversionId, tenantId: named } = event.data;
    const tenantId = await this.crossTenant.run('payment webhook', (query) =>
      new AllConversions(query).findTenant(conversionId),
    );
    if (tenantId === undefined || (named !== undefined && named !== tenantId)) throw unknown(conversionId);
    return this.tenancy.run(tenantId, async () => {
      if (!(await this.conversions.takeEvent(event.id))) return { received: true, duplicate: true, outcome: 'ignored' };
      return { received: true, duplicate: false, outcome: await this.process(tenantId, event, state) };
    });
  }

  private authenticate(signature: string | undefined, body: Buffer): void {
    const secret = this.settings.economy.paymentWebhookSecret;
    if (secret === undefined)
      throw new Unauthorized({}, 'This server takes no payment events: it has no SVC_PAYMENT_WEBHOOK_SECRET');
    if (isSignedBy(secret, signature, body, Math.floor(Date.now() / 1000))) return;
    throw new Unauthorized(
      {},
      'headers.x-payment-signature must be t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body"> with the shared secret, made within 5 minutes of now',
    );
  }

  private async process(tenantId: string, event: PaymentEvent, state: FinalState): Promise<WebhookOutcome> {
    const { conversionId, reason } = event.data;
    const settlement: Settlement = {
      state,
      by: PROVIDER,
      reason: state === 'failed' ? reason : undefined,
      receipt: { event_id: event.id, event_created: event.created ?? null },
    };
    const settled = await this.settlements.settle(tenantId, conversionId, settlement);
    if (!settled) throw unknown(conversionId);
    const outcome = settled.receiptId === undefined ? 'ignored' : 'settled';
    await this.conversions.recordEvent({
      conversionId,
      eventId: event.id,
      type: event.type,
      outcome,
      happenedAt: event.created === undefined ? new Date() : new Date(event.created),
    });
    const { conversion } = settled;
    if (outcome === 'ignored' && conversion.state !== state)
      await this.settlements.reportContradiction(conversion, settlement);
    return outcome;
  }
}

const unknown = (conversionId: string) =>
  new ConversionUnknown({ conversionId }, 'Send the conversionId of a conversion.requested event of this server');
