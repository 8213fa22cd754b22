import type { TenantCaller } from '../../../common/contract/caller.js';

/** Whose credits are spent, and by whom. */
export type Spender = Pick<TenantCaller, 'tenantId' | 'tier' | 'principal' | 'role'>;

/** Why credits moved. A reason of a closed list, so that spending can be reported by reason. */
export type TransferReason =
  | 'allowance.granted'
  | 'allowance.expired'
  | 'grant'
  | 'retrieval'
  | 'proof'
  | 'spend'
  | 'embedding'
  | 'refund'
  | 'tip'
  | 'conversion.requested'
  | 'conversion.applied'
  | 'conversion.failed'
  | 'bundle.purchased'
  | 'bundle.sold';

/**
 * What an agent can spend, and from where: first its own, then the tenant's allowance of the month, then what the
 * tenant earned.
 */
export interface Wallet {
  /** own + allowance + earnings. */
  balance: number;
  own: number;
  allowance: number;
  earnings: number;
}

/** How a spending ended. Not done: there was not enough, and nothing moved. */
export interface Spent {
  isDone: boolean;
  transferId: string;
  /** What is left. */
  wallet: Wallet;
}

/** Credits that an agent is to spend. */
export interface Spending {
  agentId: string;
  credits: number;
  reason: TransferReason;
  /** What for, an id: for one reason and reference credits are spent once. */
  reference: string;
  /** The account that receives them. */
  target: string;
  note?: string;
}

/** Credits for the use of the service. */
export type Charge = Pick<Spending, 'agentId' | 'credits' | 'reference' | 'note'> & {
  reason: 'retrieval' | 'proof' | 'spend' | 'embedding';
};

/** Credits that an agent is to pay another tenant, for a bundle. The reference, a UUID, names the transfer too. */
export type Payment = Pick<Spending, 'agentId' | 'credits' | 'reference' | 'note'>;

export interface Grant {
  agentId: string;
  credits: number;
  /** Who gives: a principal, or a part of the server. */
  principal: string;
  /** Why, in words. */
  note: string;
  /** Where given, a second grant for the same reference does nothing. */
  reference?: string;
}

export const CONVERSION_STATES = ['pending', 'applied', 'failed'] as const;
/** pending until the payment provider says what became of it, an operator does, or its time is over. */
export type ConversionState = (typeof CONVERSION_STATES)[number];
export type FinalState = Exclude<ConversionState, 'pending'>;
