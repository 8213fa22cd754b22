import type { Settings } from './settings.js';

/** Longer than a balancer takes for two or three probes. */
const PRODUCTION_SECS = 5;

/**
 * How long a stopping process answers before its ports close, in seconds; outside production nobody balances, and
 * nothing waits.
 */
export const shutdownDelayOf = ({ process }: Pick<Settings, 'process'>): number =>
  process.shutdownDelaySeconds ?? (process.nodeEnv === 'production' ? PRODUCTION_SECS : 0);
