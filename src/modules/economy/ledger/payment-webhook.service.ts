import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { ContractPipe } from '../../../common/fields/contract.pipe.js';
import { readJson } from '../../../common/http/json-body.js';
import { Unauthorized } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { type ConversionRow, ConversionsStore } from './conversions.store.js';
import { CURRENCY } from './credits.dto.js';
import { ConversionUnknown } from './economy.problems.js';
import { LedgerService } from './ledger.service.js';
import { isSignedBy } from './payment-signature.rules.js';
import { PaymentEvent, type PaymentEventAcknowledged, type WebhookOutcome } from './payment-webhook.dto.js';
import { creditsOf } from './wallet.rules.js';

/** Who acts when the payment provider reports. */
const PROVIDER = { principal: 'svc:payment-provider', authType: 'webhook_signature' };
const STATES: Record<string, 'applied' | 'failed'> = { 'conversion.applied': 'applied', 'conversion.failed': 'failed' };

/** What the payment provider reports of conversions: each event counts once, and the first final state stands. */
@Injectable()
export class PaymentWebhookService {
  private readonly contract = new ContractPipe();

  constructor(
    private readonly tenancy: Tenancy,
    private readonly conversions: ConversionsStore,
    private readonly ledger: LedgerService,
    private readonly audit: AuditTrail,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws Unauthorized before a byte of the body is interpreted, unless the signature covers it */
  async receive(signature: string | undefined, body: Buffer): Promise<PaymentEventAcknowledged> {
    this.authenticate(signature, body);
    const event = this.contract.transform(readJson(body), { type: 'body', metatype: PaymentEvent }) as PaymentEvent;
    const state = STATES[event.type];
    if (!state) return { received: true, duplicate: false, outcome: 'ignored' };
    const { conversionId, tenantId: named } = event.data;
    const tenantId = await this.conversions.findTenant(conversionId);
    if (tenantId === undefined || (named !== undefined && named !== tenantId)) throw unknown(conversionId);
    return this.tenancy.run(tenantId, async () => {
      if (!(await this.conversions.takeEvent(event.id))) return { received: true, duplicate: true, outcome: 'ignored' };
      return { received: true, duplicate: false, outcome: await this.process(event, state) };
    });
  }

  private authenticate(signature: string | undefined, body: Buffer): void {
    const secret = this.settings.economy.paymentWebhookSecret;
    if (secret === undefined)
      throw new Unauthorized({}, 'This server takes no payment events: SVC_PAYMENT_WEBHOOK_SECRET is not set');
    if (isSignedBy(secret, signature, body, Math.floor(Date.now() / 1000))) return;
    throw new Unauthorized(
      {},
      'headers.x-payment-signature must be t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body"> with the shared secret, made within 5 minutes of now',
    );
  }

  private async process(event: PaymentEvent, state: 'applied' | 'failed'): Promise<WebhookOutcome> {
    const { conversionId } = event.data;
    const row = await this.conversions.findLocked(conversionId);
    if (!row) throw unknown(conversionId);
    const outcome = row.state === 'pending' ? 'settled' : 'ignored';
    if (outcome === 'settled') await this.settle(row, state, event);
    await this.conversions.recordEvent({
      conversionId,
      eventId: event.id,
      type: event.type,
      outcome,
      happenedAt: event.created === undefined ? new Date() : new Date(event.created),
    });
    if (outcome === 'settled') await this.publish(row, state, event);
    return outcome;
  }

  /** Applied: what was in escrow is burned for the discount. Failed: it goes back to where it came from. */
  private async settle(row: ConversionRow, state: 'applied' | 'failed', { data }: PaymentEvent): Promise<void> {
    const { conversion_id: reference, agent_id: agentId, transfer_id } = row;
    const { principal } = PROVIDER;
    const moved =
      state === 'applied'
        ? await this.ledger.move({
            source: `escrow:${agentId}`,
            target: 'discount',
            credits: creditsOf(row.credits),
            reason: 'conversion.applied',
            reference,
            principal,
            agentId,
          })
        : await this.ledger.reverse(transfer_id, {
            reason: 'conversion.failed',
            reference,
            principal,
            note: data.reason,
          });
    if (!moved) throw new Error(`the escrow of conversion ${reference} was moved before`);
    await this.conversions.settle(reference, state, state === 'failed' ? (data.reason ?? null) : null);
  }

  private async publish(row: ConversionRow, state: 'applied' | 'failed', event: PaymentEvent): Promise<void> {
    const kind = `conversion.${state}`;
    const subject = row.conversion_id;
    const [credits, pence] = [creditsOf(row.credits), creditsOf(row.pence)];
    const reason = state === 'failed' ? (event.data.reason ?? null) : null;
    const facts = { conversionId: subject, agentId: row.agent_id, credits, pence, currency: CURRENCY, reason };
    await this.audit.record(PROVIDER, {
      kind,
      subject,
      facts,
      receipt: { event_id: event.id, event_created: event.created ?? null },
      makeEvent: () => ({ kind, subject, data: facts }),
    });
  }
}

const unknown = (conversionId: string) =>
  new ConversionUnknown({ conversionId }, 'Send the conversionId of a conversion.requested event of this server');
