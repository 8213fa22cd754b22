import { DateTime, Flag, Integer, Nested, Text, Uuid } from '../../../common/fields/fields.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';

const optional = true;
/** As much as an operator can grant at once. */
const MAX_CREDITS = 1_000_000_000;
const Credits = (about: string) => Integer({ about, min: 0 });

export class SpendCredits {
  @Integer({ about: 'How many.', min: 1, max: MAX_CREDITS, example: 25 })
  credits!: number;

  @Text({
    about: 'What it is for, a name of your own: under one reference credits are spent once, however often it is sent.',
    min: 1,
    max: 200,
    example: 'job-42',
  })
  reference!: string;

  @Text({
    about: 'The agent that spends them; the acting passport of the request when absent.',
    optional,
    min: 1,
    max: 512,
    example: 'researcher',
  })
  agent_id?: string;

  @Text({ about: 'Why, in words; kept with the transfer.', optional, min: 1, max: 2_000 })
  note?: string;

  @TenantIdMember('The tenant whose credits they are; that of the credential when absent.', { optional })
  tenant_id?: string;
}

/** Where the balance is. Credits are spent in this order. */
export class CreditParts {
  @Credits('What is the agent’s own.')
  own!: number;

  @Credits('What is left of the allowance of the month, which the agents of the tenant share.')
  allowance!: number;

  @Credits('What the tenant earned.')
  earnings!: number;
}

export class SpentCredits {
  @Uuid({ about: 'The transfer in the ledger.' })
  transfer_id!: string;

  @Text({ about: 'The agent that spent them.' })
  agent_id!: string;

  @Credits('How many.')
  credits!: number;

  @Text({ about: 'What for.' })
  reference!: string;

  @Credits('What the agent could spend after that.')
  balance_after!: number;

  @Nested({ about: 'Where that was.', type: () => CreditParts })
  breakdown!: CreditParts;

  @Flag({ about: 'They were spent by an earlier request, whose answer this is.' })
  repeated!: boolean;

  @Uuid({ about: 'The receipt: what a result envelope names as credit_spend_receipt.' })
  receipt_id!: string;

  @DateTime({ about: 'When.' })
  spent_at!: string;
}
