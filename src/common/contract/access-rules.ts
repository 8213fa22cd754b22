import { isFeature, isFeatureOn } from '../config/feature-flags.js';
import type { Settings } from '../config/settings.js';
import type { TenantCaller } from './caller.js';
import type { BearersTaken, RouteRecord } from './contract.js';

type Admitting = Pick<RouteRecord, 'access' | 'flag' | 'paidTier'>;

/** Whether the feature of the tenant API that a route is behind is switched on. */
export const isFlagOn = ({ flag }: Admitting, settings: Settings): boolean =>
  !flag || !isFeature(flag) || isFeatureOn(flag, settings);

/** Whether a route lists the caller's role, and takes the kind of credential it came with. */
export function isRoleAdmitted({ access }: Admitting, caller: TenantCaller): boolean {
  if (access.kind === 'anyone') return true;
  if (access.kind === 'agent') return caller.authType === 'agent';
  if (access.kind === 'tool') return isTakenByTools(access, caller);
  if (access.kind !== 'seats') return false;
  if (access.session && !caller.session) return false;
  return caller.role === 'discovery' ? access.discovery === true : access.roles.includes(caller.role);
}

/** A seat comes by an access token: a cookie is never taken. */
function isTakenByTools({ agents, accessTokens }: BearersTaken, { authType, session }: TenantCaller): boolean {
  if (authType === 'seat') return accessTokens === true && session === undefined;
  return authType === 'api_key' || (authType === 'agent' && agents === true);
}

export const isTierAdmitted = ({ paidTier }: Admitting, { tier }: TenantCaller): boolean =>
  !paidTier || tier !== 'free';

/** Whether the guards would let the caller through: a session's capabilities are derived from this. */
export const isAdmitted = (route: Admitting, caller: TenantCaller, settings: Settings): boolean =>
  isFlagOn(route, settings) && isRoleAdmitted(route, caller) && isTierAdmitted(route, caller);
