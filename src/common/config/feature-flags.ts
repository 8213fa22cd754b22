import { DAEMON_FLAGS, type DaemonFlagName } from './daemon/flag-table.js';
import type { Settings } from './settings.js';

interface Feature {
  /** The environment variable that switches it on. */
  env: string;
  isOn: (settings: Settings) => boolean;
  /** What the 412 calls it, where that is not the variable. */
  feature?: string;
  /** How to switch it on, where that is not `<env>=1`. */
  remedy?: string;
}

/**
 * Feature flags of the tenant API. Off, their routes answer 412 FeatureDisabled; self-signup then does not exist, 404
 * (D22). Payments are on where there is a secret to verify the provider's events by: without it nobody could settle a
 * conversion (D87).
 */
const FEATURES = {
  continuity: { env: 'FEATURE_CONTINUITY', isOn: ({ features }) => features.continuity },
  watches: { env: 'FEATURE_WATCHES', isOn: ({ features }) => features.watches },
  proofs: { env: 'FEATURE_PROOFS', isOn: ({ features }) => features.proofs },
  selfSignup: { env: 'FEATURE_SELF_SIGNUP', isOn: ({ features }) => features.selfSignup },
  payments: {
    env: 'SVC_PAYMENT_WEBHOOK_SECRET',
    isOn: ({ economy }) => economy.paymentWebhookSecret !== undefined,
    feature: 'payments',
    remedy:
      'No payment provider could settle a conversion: this server has no payment webhook secret. Set SVC_PAYMENT_WEBHOOK_SECRET on it, at least 16 characters shared with the provider (docs/economy.md)',
  },
} as const satisfies Record<string, Feature>;

export type FeatureName = keyof typeof FEATURES;
export const FEATURE_NAMES = Object.keys(FEATURES) as FeatureName[];
/** A flag that a route is behind: of the tenant API, or of the daemon. */
export type FlagName = FeatureName | DaemonFlagName;

export const isFeature = (flag: FlagName): flag is FeatureName => flag in FEATURES;

export const isFeatureOn = (name: FeatureName, settings: Settings): boolean => FEATURES[name].isOn(settings);

/** What is answered where the feature is off. */
export function featureRefusal(name: FeatureName): { feature: string; remedy: string } {
  const { env, feature = env, remedy = `Set ${env}=1 on the server to use this route` }: Feature = FEATURES[name];
  return { feature, remedy };
}

/** The environment variable that sets the flag. */
export const flagVariable = (flag: FlagName): string => (isFeature(flag) ? FEATURES[flag] : DAEMON_FLAGS[flag]).env;
