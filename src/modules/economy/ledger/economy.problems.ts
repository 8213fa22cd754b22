import { problem } from '../../../common/problem/problem.js';

export class CreditsExhausted extends problem<{ creditBalance: number; upgradeUrl: string }>(
  429,
  'CreditsExhausted',
  'There are not enough credits for this',
) {}

export class NoSubscription extends problem<{ tier: string; upgradeUrl: string }>(
  409,
  'NoSubscription',
  'There is no subscription that a discount could be given on',
) {}
export class ConversionCapReached extends problem<{ capPence: number; remainingPence: number; month: string }>(
  409,
  'ConversionCapReached',
  'More of the subscription than may be cannot be paid with credits',
) {}
export class ConversionUnknown extends problem<{ conversionId: string }>(
  404,
  'ConversionUnknown',
  'There is no such conversion',
) {}
