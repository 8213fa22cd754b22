import { featureRefusal, isFeatureOn, type FeatureName } from '../config/feature-flags.js';
import type { Settings } from '../config/settings.js';
import { FeatureDisabled, Forbidden } from '../problem/common-problems.js';
import type { TenantCaller } from './caller.js';

/**
 * What the guards refuse of a route, also where something is only a part of another route.
 * @throws FeatureDisabled
 */
export function requireFeature(name: FeatureName, settings: Settings): void {
  if (isFeatureOn(name, settings)) return;
  const { feature, remedy } = featureRefusal(name);
  throw new FeatureDisabled({ feature }, remedy);
}

/** @throws Forbidden for a tenant of the free tier */
export function requirePaidTier({ tier }: Pick<TenantCaller, 'tier'>): void {
  if (tier === 'free') throw new Forbidden({ policy: 'paid_tier' }, 'This is not part of the free tier');
}
