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
) {
  static override readonly example = {
    detail: 'body.title: must be longer than or equal to 1 characters',
    issues: [{ path: 'body.title', message: 'must be longer than or equal to 1 characters' }],
  };
}

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
) {
  static override readonly example = { allow: ['GET'] };
}
export class RequestTimeout extends problem(408, 'RequestTimeout', 'The request took too long to arrive', true) {}
export class FeatureDisabled extends problem<{ feature: string }>(
  412,
  'FeatureDisabled',
  'This feature is switched off on this server',
) {
  static override readonly example = { feature: 'FEATURE_WATCHES' };
}
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

export class TooManyStreams extends problem<{ retryAfterSec: number }>(
  429,
  'TooManyStreams',
  'Too many event streams are open',
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
) {
  static override readonly example = { idempotencyKey: 'leave-policy-1' };
}
export class IdempotencyInProgress extends problem<{ idempotencyKey: string; retryAfterSec: number }>(
  409,
  'IdempotencyInProgress',
  'The first request with this idempotency key is still running',
  true,
) {
  static override readonly example = { idempotencyKey: 'leave-policy-1' };
}

export class ShieldApprovalRequired extends problem<{ approvalRequestId: string; decisionId: string }>(
  403,
  'ShieldApprovalRequired',
  'This needs the approval of another principal',
) {
  static override readonly example = {
    approvalRequestId: '5f0c9a4e-1d2b-4c3a-8e7f-6a5b4c3d2e1f',
    decisionId: '0b1d2c3e-4f5a-4b6c-9d7e-8f9a0b1c2d3e',
  };
}
export class ShieldDenied extends problem<{
  denial: { type: string; reason: string; cause?: string };
  decisionId: string;
}>(403, 'ShieldDenied', 'The shield refuses this') {
  static override readonly example = {
    denial: { type: 'kill_switch', reason: 'A kill switch names this action.' },
    decisionId: '0b1d2c3e-4f5a-4b6c-9d7e-8f9a0b1c2d3e',
  };
}

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
