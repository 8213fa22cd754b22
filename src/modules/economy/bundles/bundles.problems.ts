import { problem } from '../../../common/problem/problem.js';

export class BundleUnknown extends problem<{ bundleId: string }>(404, 'BundleUnknown', 'There is no such bundle') {}
export class OwnBundle extends problem<{ bundleId: string }>(
  409,
  'OwnBundle',
  'A tenant cannot buy what it publishes itself',
) {}
export class AlreadyEntitled extends problem<{ bundleId: string }>(
  409,
  'AlreadyEntitled',
  'The tenant is entitled to all of this already',
) {}
export class PriceChanged extends problem<{ bundleId: string; expectedPrice: number; priceCredits: number }>(
  409,
  'PriceChanged',
  'The bundle has another price than was expected',
) {}
