import { Choice, DateTime, Integer, ListOf, Nested, Text, Uuid } from '../../../common/fields/fields.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { MAX_AGENT_ID } from '../../../common/fields/shared-members.js';
import { CONVERSION_STATES, type ConversionState } from './economy.types.js';

export const CURRENCY = 'GBP';

export class AgentPath {
  @Text({ about: 'The agent, by the name that retrieval and the home routes know it by.', min: 1, max: MAX_AGENT_ID })
  agentId!: string;
}

export class WalletParts {
  @Integer({ about: "The agent's own: grants, and nothing that expires. Spent first.", min: 0 })
  own!: number;

  @Integer({
    about:
      "What is left of the tenant's allowance of the UTC month, shared by its agents. Spent second; the rest expires with the month.",
    min: 0,
  })
  allowance!: number;

  @Integer({
    about: 'What the tenant earned by selling bundles, shared by its agents. Spent last; it does not expire.',
    min: 0,
  })
  earnings!: number;
}

export class AllowanceTerms {
  @Text({ about: 'The UTC month.', example: '2026-11' })
  month!: string;

  @Integer({
    about: 'Credits the tier is granted a month; null for an agent without a sponsor, which has none.',
    nullable: true,
    min: 0,
  })
  monthlyCredits!: number | null;

  @DateTime({
    about: 'When what is left expires and the next allowance is granted; null where there is none.',
    nullable: true,
  })
  renewsAt!: string | null;
}

export class CreditBalance {
  @Text({ about: 'The agent.' })
  agentId!: string;

  @Integer({ about: 'Credits this agent can spend now: own + allowance + earnings.', min: 0 })
  balance!: number;

  @Nested({ about: 'Where they are, in the order in which they are spent.', type: () => WalletParts })
  breakdown!: WalletParts;

  @Integer({ about: 'Credits held for conversions in progress; no longer part of the balance.', min: 0 })
  escrow!: number;

  @Nested({ about: "The tenant's monthly allowance.", type: () => AllowanceTerms })
  allowance!: AllowanceTerms;

  @Text({
    about: "By which tier the caller acts: the tenant's, or the lower one that an agent is sponsored at.",
    example: 'pro',
  })
  tier!: string;

  @DateTime({ about: 'When this was read.' })
  asOf!: string;
}

export class EscrowQuery extends PageQuery {
  @Choice({
    about: 'pending: what is in progress now. applied, failed: what became of the earlier ones.',
    values: CONVERSION_STATES,
    default: 'pending',
  })
  status!: ConversionState;
}

export class EscrowItem {
  @Uuid({ about: 'The conversion.' })
  conversionId!: string;

  @Choice({ about: 'Where it is.', values: CONVERSION_STATES })
  status!: ConversionState;

  @Integer({ about: 'Credits it took.', min: 1 })
  credits!: number;

  @Integer({ about: 'The discount, in pence.', min: 1 })
  pence!: number;

  @Text({ about: 'Currency of the discount.', example: CURRENCY })
  currency!: string;

  @Text({ about: 'The UTC month whose cap it counts against.', example: '2026-11' })
  month!: string;

  @Text({ about: 'Who asked for it.', example: 'key:7f0c2c1e-5f0a-4a57-9f0c-1d7c9b3f0c55' })
  requestedBy!: string;

  @DateTime({ about: 'When it was asked for.' })
  createdAt!: string;

  @DateTime({ about: 'When the payment provider is expected to have settled it.' })
  expectedAt!: string;

  @DateTime({
    about: 'After which it fails if nobody has settled it, and the credits are released: within 10 minutes of then.',
  })
  expiresAt!: string;

  @DateTime({ about: 'When it was settled; null while pending.', nullable: true })
  settledAt!: string | null;

  @Text({
    about: 'Why it failed: what the provider or the operator of the server said, or expired; null otherwise.',
    nullable: true,
  })
  failureReason!: string | null;
}

export class EscrowPage {
  @Text({ about: 'The agent.' })
  agentId!: string;

  @Integer({ about: 'Credits in escrow for this agent now, over all pages.', min: 0 })
  escrow!: number;

  @ListOf({ about: 'Conversions of the status asked for, oldest first.', type: () => EscrowItem })
  items!: EscrowItem[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}
