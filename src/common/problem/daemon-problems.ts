import {
  Forbidden,
  MalformedRequest,
  NotFound,
  PayloadTooLarge,
  RequestTimeout,
  ServiceUnavailable,
  UnsupportedMediaType,
  ValidationFailed,
} from './common-problems.js';
import { InternalError } from './problem.filter.js';
import { problem, type ProblemClass } from './problem.js';
import type { ProService } from '../contract/scopes.js';

/** No scopes at all in dev_scopes, or a token that is missing or not valid in the jwt modes. */
export class NotAuthenticated extends problem<{ hint: string }>(
  401,
  'Unauthorized',
  'No valid credential was presented',
) {
  static override readonly example = { hint: 'Send Authorization: Bearer <token>; svc token mints one' };
}
/** The same, of a token that did come (RFC 6750, 3.1: invalid_token). */
export class InvalidToken extends NotAuthenticated {}
/** The same, of one that the right key signed: it has ended, or is not meant for this. No guess. */
export class UnfitToken extends InvalidToken {}
/** The same, of one whose tenant is suspended or deleted. */
export class TenantInactive extends NotAuthenticated {}
export class InvalidPassportHeader extends problem(400, 'InvalidPassportHeader', 'Invalid X-Svc-Passport-Id') {}
/** Of an any-of check the whole set that is accepted, of an all-of check what is missing (memory-daemon.md 5.3). */
export class MissingScope extends problem<{ missingAnyScope?: readonly string[]; missingScopes?: readonly string[] }>(
  403,
  'MissingScope',
  'Forbidden',
) {
  static override readonly example = { missingAnyScope: ['facts:write', 'admin:write'] };
}
export class PassportHeaderMismatch extends problem(403, 'PassportHeaderMismatch', 'Forbidden') {}
/** A passport that was revoked in the tenant; whoever acts by it is refused everywhere there (D71). */
export class PassportRevoked extends problem<{ passport_id: string }>(403, 'PassportRevoked', 'Forbidden') {
  static override readonly example = { passport_id: 'ada' };
}
/** The mode believes callers without proof, and the route takes none such. */
export class SpoofableAuth extends problem<{ auth_mode: string }>(403, 'SpoofableAuth', 'Forbidden') {
  static override readonly example = { auth_mode: 'dev_scopes' };
}
/** A kill switch of the tenant stops the caller, or all of the tenant. */
export class SwitchedOff extends Forbidden {}
/** A tenant that the credential does not cover; without tenant_id: it covers none at all. */
export class TenantMismatch extends problem<{ tenant_id?: string }>(403, 'TenantMismatch', 'Forbidden') {
  static override readonly example = { tenant_id: 'acme' };
}
/** A tenant that the credential covers and nobody registered. */
export class TenantNotRegistered extends problem<{ tenant_id: string }>(403, 'TenantNotRegistered', 'Forbidden') {
  static override readonly example = { tenant_id: 'acme' };
}
/** The lease of the X-Svc-Fence that came is not live any more, or is of something else; nothing is changed (D61). */
export class FenceStale extends problem<{
  fence: number;
  newer: { fence: number; holder_passport: string; expires_at: string } | null;
}>(409, 'FenceStale', 'The fence is not that of a live lease') {
  static override readonly example = { fence: 7, newer: null };
}
/** Route-auth enforces, and the address is not one it knows. */
export class RouteUnclassified extends problem(403, 'RouteUnclassified', 'Forbidden') {}
export class FlagOff extends problem<{ flag: string }>(404, 'FlagOff', 'Not Found') {
  static override readonly example = { flag: 'SVCD_PUNCHCARD' };
}
/** No route of this version is there, and one is planned. */
export class NotBuilt extends problem<{ flag?: string }>(404, 'NotBuilt', 'Not Found') {}
export class PlaneOff extends problem<{ flag: string }>(501, 'PlaneOff', 'Not Implemented') {
  static override readonly example = { flag: 'SVCD_PUNCHCARD' };
}
/** A service of the workbench that the operator has not enabled. */
export class ProServiceOff extends problem<{ service: ProService; flag: string }>(
  402,
  'pro_service_not_enabled',
  'The service is not enabled',
) {}
export class RateLimited extends problem<{ retryAfterSec: number }>(429, 'RateLimited', 'Too Many Requests') {}
/** Nothing is left of a quota (draft-ietf-httpapi-ratelimit-headers-10, 5.1: quota-exceeded). */
export class QuotaExceeded extends problem<{
  surface: string;
  limit: number;
  window_seconds: number;
  retryAfterSec: number;
  'violated-policies': readonly string[];
}>(429, 'QuotaExceeded', 'The quota is used up') {
  static override readonly example = {
    surface: 'facts',
    limit: 1000,
    window_seconds: 3600,
    'violated-policies': ['facts'],
  };
}
export class Overloaded extends problem<{ retryAfterSec: number }>(503, 'Overloaded', 'Service Overloaded') {}

/** What any address of the daemon may answer. */
export const DAEMON_COMMON_PROBLEMS: ProblemClass[] = [
  MalformedRequest,
  ValidationFailed,
  InvalidPassportHeader,
  Forbidden,
  NotFound,
  RequestTimeout,
  PayloadTooLarge,
  UnsupportedMediaType,
  RateLimited,
  QuotaExceeded,
  InternalError,
  Overloaded,
  ServiceUnavailable,
];
/** What any that asks for a scope may also answer. */
export const DAEMON_CREDENTIAL_PROBLEMS: ProblemClass[] = [
  NotAuthenticated,
  MissingScope,
  PassportHeaderMismatch,
  PassportRevoked,
  TenantMismatch,
  TenantNotRegistered,
];
