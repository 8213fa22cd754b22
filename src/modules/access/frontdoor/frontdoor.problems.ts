import { problem } from '../../../common/problem/problem.js';
import type { AccessRequestStatus } from './access-requests/access-requests.types.js';

export class LoginThrottled extends problem<{ retryAfterSec: number }>(
  429,
  'LoginThrottled',
  'Too many failed sign-ins from this address',
) {}

export class TooManyRequests extends problem<{ retryAfterSec: number }>(
  429,
  'TooManyRequests',
  'Too many requests from this address',
) {}

export class ProviderUnavailable extends problem(
  503,
  'ProviderUnavailable',
  'The identity provider cannot be asked now',
) {}

export class AccessRequestUnknown extends problem<{ requestId: string }>(
  404,
  'AccessRequestUnknown',
  'There is no such access request',
) {}

export class AccessRequestTransitionRefused extends problem<{
  requestId: string;
  from: AccessRequestStatus;
  allowed: readonly AccessRequestStatus[];
}>(409, 'AccessRequestTransitionRefused', 'An access request in this state cannot go to that one') {}

export class TenantTaken extends problem<{ newTenantId: string }>(
  409,
  'TenantTaken',
  'There is a tenant of this name already',
) {}
