import { Choice, DateTime, ExtraMembersAllowed, Flag, Nested, Text, Uuid } from '../../../common/fields/fields.js';

@ExtraMembersAllowed()
export class PaymentEventData {
  @Uuid({ about: 'The conversion, as the conversion.requested event named it.' })
  conversionId!: string;

  @Text({
    about: 'Its tenant; where it is sent it must be the one of the conversion.',
    optional: true,
    min: 1,
    max: 120,
  })
  tenantId?: string;

  @Text({ about: 'conversion.failed: why, in words.', optional: true, min: 1, max: 500 })
  reason?: string;
}

/** What a payment provider reports. Further members are taken and left alone. */
@ExtraMembersAllowed()
export class PaymentEvent {
  @Text({ about: "The provider's id of the event. Each is processed once.", min: 1, max: 200, example: 'evt_42' })
  id!: string;

  @Text({
    about: 'conversion.applied or conversion.failed. Every other type is acknowledged and ignored.',
    min: 1,
    max: 100,
    example: 'conversion.applied',
  })
  type!: string;

  @DateTime({ about: 'When it happened; absent, when it was received.', optional: true })
  created?: string;

  @Nested({ about: 'What it is about.', type: () => PaymentEventData })
  data!: PaymentEventData;
}

const WEBHOOK_OUTCOMES = ['settled', 'ignored'] as const;
export type WebhookOutcome = (typeof WEBHOOK_OUTCOMES)[number];

export class PaymentEventAcknowledged {
  @Flag({ about: 'Always true: the provider need not send the event again.' })
  received!: boolean;

  @Flag({ about: 'Whether an event of this id was processed before; nothing was changed now.' })
  duplicate!: boolean;

  @Choice({
    about:
      'settled: the conversion got its final state by this event. ignored: it had one already, the type is none of ours, or the event is a duplicate.',
    values: WEBHOOK_OUTCOMES,
  })
  outcome!: WebhookOutcome;
}
