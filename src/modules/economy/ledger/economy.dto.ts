import { Choice, DateTime, Flag, Integer, Nested, Text, Uuid } from '../../../common/fields/fields.js';
import { MAX_AGENT_ID, TenantMember } from '../../../common/fields/shared-members.js';
import { CURRENCY } from './credits.dto.js';
import { CONVERSION_STATES, type ConversionState } from './economy.types.js';

/** More than anybody has: asked for, it is refused by the balance and not by arithmetic. */
const MAX_CREDITS = 1_000_000_000;
/** Who spends, of every body that spends. */
class SpendingRequest {
  @TenantMember()
  tenantId?: string;

  @Text({ about: 'The agent that spends.', min: 1, max: MAX_AGENT_ID, default: 'default-agent' })
  agentId!: string;
}

export class ConversionRequest extends SpendingRequest {
  @Integer({
    about:
      'Credits to convert. Whole hundreds are: 100 credits are 1.00 GBP. What is left over stays with the agent and is returned as remainderCredits.',
    min: 100,
    max: MAX_CREDITS,
    example: 500,
  })
  credits!: number;
}

export class ConversionCap {
  @Text({ about: 'The UTC month.', example: '2026-11' })
  month!: string;

  @Integer({ about: "The tier's monthly price, in pence; 0 on the free tier.", min: 0 })
  subscriptionPence!: number;

  @Integer({
    about: 'Half of it: the most that may be paid with credits in a month, over all agents of the tenant.',
    min: 0,
  })
  capPence!: number;

  @Integer({ about: 'Of conversions of the month that are in progress.', min: 0 })
  pendingPence!: number;

  @Integer({ about: 'Of conversions of the month that were applied.', min: 0 })
  appliedPence!: number;

  @Integer({ about: 'What may still be converted this month.', min: 0 })
  remainingPence!: number;
}

export class ConversionTerms {
  @Text({ about: 'The agent.' })
  agentId!: string;

  @Integer({ about: 'Credits that are converted: the whole hundreds of what was asked for.', min: 0 })
  credits!: number;

  @Integer({ about: 'What is too little for another hundred, and stays with the agent.', min: 0, max: 99 })
  remainderCredits!: number;

  @Integer({ about: 'The discount, in pence.', min: 0 })
  pence!: number;

  @Text({ about: 'Currency of the discount.', example: CURRENCY })
  currency!: string;

  @Integer({ about: 'Credits the agent can spend afterwards; in a refused preview, what it can spend now.', min: 0 })
  balanceAfter!: number;

  @Nested({ about: 'The cap afterwards; in a refused preview, as it is.', type: () => ConversionCap })
  cap!: ConversionCap;
}

export class ConversionRefusal {
  @Text({
    about: 'The type of the problem that POST /v1/economy/convert would answer.',
    example: 'ConversionCapReached',
  })
  type!: string;

  @Text({ about: 'Why, and what to do about it.' })
  message!: string;
}

export class ConversionPreview extends ConversionTerms {
  @Flag({ about: 'Whether the conversion would be accepted now.' })
  accepted!: boolean;

  @Nested({ about: 'Why it would not; null when it would.', type: () => ConversionRefusal, nullable: true })
  refusal!: ConversionRefusal | null;
}

export class Conversion extends ConversionTerms {
  @Uuid({ about: 'The conversion, by which the payment provider settles it.' })
  conversionId!: string;

  @Choice({ about: 'pending until it is settled or expires.', values: CONVERSION_STATES })
  status!: ConversionState;

  @DateTime({ about: 'When it was asked for.' })
  createdAt!: string;

  @DateTime({ about: 'When the payment provider is expected to have settled it.' })
  expectedAt!: string;

  @DateTime({ about: 'After which it fails if nobody has settled it, and the credits are released.' })
  expiresAt!: string;

  @Uuid({ about: 'The signed receipt.' })
  receiptId!: string;
}

export class TipRequest extends SpendingRequest {
  @Integer({ about: 'Credits to give.', min: 1, max: MAX_CREDITS, example: 10 })
  credits!: number;

  @Text({ about: 'A word with it, kept with the transfer.', optional: true, min: 1, max: 500 })
  message?: string;
}

export class Tip {
  @Uuid({ about: 'The tip: its transfer in the ledger.' })
  tipId!: string;

  @Text({ about: 'The agent that gave.' })
  agentId!: string;

  @Integer({ about: 'What it gave.', min: 1 })
  credits!: number;

  @Text({ about: 'The word with it.', nullable: true })
  message!: string | null;

  @Integer({ about: 'Credits the agent can spend afterwards.', min: 0 })
  balanceAfter!: number;

  @DateTime({ about: 'When it was given.' })
  createdAt!: string;
}
