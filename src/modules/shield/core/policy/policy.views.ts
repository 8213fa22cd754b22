import type { PolicySettings } from '../shield.types.js';
import type { PolicyRow } from './policy.entity.js';

/** @param row undefined where the tenant never set anything */
export function toPolicy(row: PolicyRow | undefined): PolicySettings {
  const { spendWindowCredits: credits = null, spendWindowSeconds: seconds = null } = row ?? {};
  return {
    requireServerId: row?.requireServerId ?? false,
    requireToolDigest: row?.requireToolDigest ?? false,
    requireRegistered: row?.requireRegistered ?? false,
    requireUiIntegrity: row?.requireUiIntegrity ?? false,
    spendWindow: credits === null || seconds === null ? null : { credits, seconds },
  };
}
