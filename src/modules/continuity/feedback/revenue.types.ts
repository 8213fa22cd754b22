export const CURRENCIES = ['GBP', 'USD', 'EUR'] as const;
export type Currency = (typeof CURRENCIES)[number];
export const PERIODS = ['monthly', 'yearly', 'once'] as const;
export type Period = (typeof PERIODS)[number];
export const DECLARATION_STATES = ['pending', 'needs_info', 'accepted', 'rejected'] as const;
export type DeclarationState = (typeof DECLARATION_STATES)[number];
export const VERDICTS = ['accepted', 'rejected', 'needs_info'] as const;
export type DeclarationVerdict = (typeof VERDICTS)[number];

/**
 * Declarations of one currency, period and status, in minor units. The median is the lower one of two: an amount that
 * was declared.
 */
export interface RevenueTotal {
  currency: Currency;
  period: Period;
  status: DeclarationState;
  count: number;
  totalMinor: number;
  medianMinor: number;
  minMinor: number;
  maxMinor: number;
}
