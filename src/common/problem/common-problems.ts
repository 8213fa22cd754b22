import { problem, type ProblemClass } from './problem.js';

/** One thing wrong with the request: where (dotted path from body, query, path or headers) and what. */
export interface Issue extends Record<string, unknown> {
  path: string;
  message: string;
}

export class MalformedRequest extends problem(400, 'MalformedRequest', 'The request cannot be read') {}
export class ValidationFailed extends problem<{ issues: Issue[] }>(
  400,
  'ValidationFailed',
  'The request does not match its description',
) {}

/** What is answered about one member of the request. */
export const invalid = (path: string, message: string): ValidationFailed => invalidMembers([{ path, message }]);

/** The same about several: all of them as issues, the first few in the detail as well. */
export const invalidMembers = (issues: Issue[]): ValidationFailed =>
  new ValidationFailed(
    { issues: issues.slice(0, 50) },
    issues
      .slice(0, 5)
      .map(({ path, message }) => `${path}: ${message}`)
      .join('; '),
  );

export class Unauthorized extends problem(401, 'Unauthorized', 'No valid credential was presented') {}
/** In place of 401 where too many failed before. A valid credential is never answered so. */
export class CredentialThrottled extends problem<{ retryAfterSec: number }>(
  429,
  'CredentialThrottled',
  'Too many invalid credentials from this address',
) {}
export class Forbidden extends problem(403, 'Forbidden', 'The caller may not do this') {}
export class NotFound extends problem(404, 'NotFound', 'There is nothing at this address') {}
export class MethodNotAllowed extends problem<{ allow: string[] }>(
  405,
  'MethodNotAllowed',
  'This address does not take this method',
) {}
export class RequestTimeout extends problem(408, 'RequestTimeout', 'The request took too long to arrive', true) {}
export class FeatureDisabled extends problem<{ feature: string }>(
  412,
  'FeatureDisabled',
  'This feature is switched off on this server',
) {}
export class PayloadTooLarge extends problem<{ limitBytes?: number; [cap: string]: unknown }>(
  413,
  'PayloadTooLarge',
  'The request is too large',
) {}
export class UnsupportedMediaType extends problem(415, 'UnsupportedMediaType', 'The content type is not supported') {}
export class ServiceUnavailable extends problem<{ retryAfterSec: number }>(
  503,
  'ServiceUnavailable',
  'The service cannot answer just now',
) {}

export class IdempotencyKeyRequired extends problem(
  400,
  'IdempotencyKeyRequired',
  'This request needs an idempotency key',
) {}
export class IdempotencyKeyReused extends problem<{ idempotencyKey: string }>(
  422,
  'IdempotencyKeyReused',
  'The idempotency key was used for another request',
) {}
export class IdempotencyInProgress extends problem<{ idempotencyKey: string; retryAfterSec: number }>(
  409,
  'IdempotencyInProgress',
  'The first request with this idempotency key is still running',
  true,
) {}

export class ShieldApprovalRequired extends problem<{ approvalRequestId: string; decisionId: string }>(
  403,
  'ShieldApprovalRequired',
  'This needs the approval of another principal',
) {}
export class ShieldDenied extends problem<{
  denial: { type: string; reason: string; cause?: string };
  decisionId: string;
}>(403, 'ShieldDenied', 'The shield refuses this') {}

/** What an address that nothing is at answers. */
export const unknownAddress = () => new NotFound({}, 'See /docs for the addresses this server answers');

/** What is answered while the database is away, or lacks what a statement needs. */
export const databaseUnavailable = () =>
  new ServiceUnavailable({ retryAfterSec: 1 }, 'The database cannot do this just now; try again');

/** What any route may answer. */
export const COMMON_PROBLEMS: ProblemClass[] = [
  MalformedRequest,
  ValidationFailed,
  Forbidden,
  NotFound,
  MethodNotAllowed,
  RequestTimeout,
  PayloadTooLarge,
  UnsupportedMediaType,
  ServiceUnavailable,
];
/** What any route that asks for a credential may also answer. */
export const CREDENTIAL_PROBLEMS: ProblemClass[] = [Unauthorized, CredentialThrottled];
/** What a route that passes the shield may also answer (D24). */
export const SHIELD_PROBLEMS: ProblemClass[] = [ShieldApprovalRequired, ShieldDenied];
/** What an idempotent route may also answer. */
export const IDEMPOTENCY_PROBLEMS: ProblemClass[] = [
  IdempotencyKeyRequired,
  IdempotencyKeyReused,
  IdempotencyInProgress,
];
