import { DAEMON_FLAGS, type DaemonFlagName } from './daemon/flag-table.js';

/**
 * Feature flags of the tenant API, the settings group `features`. Off, their routes answer 412 FeatureDisabled;
 * self-signup then does not exist, 404 (D22).
 */
const FEATURE_VARIABLES = {
  continuity: 'FEATURE_CONTINUITY',
  watches: 'FEATURE_WATCHES',
  proofs: 'FEATURE_PROOFS',
  selfSignup: 'FEATURE_SELF_SIGNUP',
} as const;

export type FeatureName = keyof typeof FEATURE_VARIABLES;
/** A flag that a route is behind: of the tenant API, or of the daemon. */
export type FlagName = FeatureName | DaemonFlagName;

export const isFeature = (flag: FlagName): flag is FeatureName => flag in FEATURE_VARIABLES;

/** The environment variable that sets the flag. */
export const flagVariable = (flag: FlagName): string =>
  isFeature(flag) ? FEATURE_VARIABLES[flag] : DAEMON_FLAGS[flag].env;
