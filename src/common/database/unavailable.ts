import { QueryFailedError } from 'typeorm';
import { RoleRefused } from './role-proof.js';

/**
 * SQLSTATE classes and codes after which the same work may succeed (PostgreSQL 18, appendix A): connection exceptions,
 * insufficient resources (a full disk), operator intervention, system errors; locks, serialization failures, deadlocks
 * and idle transactions that were ended; a server in recovery, which an address leads to while its standby is promoted
 * (25006).
 */
const RETRYABLE_STATES = [/^08/, /^53/, /^57/, /^58/, /^55P03$/, /^40001$/, /^40P01$/, /^25P0[34]$/, /^25006$/];
const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EACCES',
]);
/** TypeORM releases a connection that breaks inside a transaction; the next statement finds it released. */
const LOST_IN_TRANSACTION = new Set([
  'QueryRunnerAlreadyReleasedError',
  'QueryRunnerProviderAlreadyReleasedError',
  'TransactionNotStartedError',
]);
const DRIVER_MESSAGES =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|not queryable|driver not connected|connection is not established/i;

/** By SQLSTATE, or by the system call that failed. */
function hasPassingCode({ code, syscall }: NodeJS.ErrnoException): boolean {
  if (!code) return false;
  if (/^[0-9A-Z]{5}$/.test(code) && RETRYABLE_STATES.some((state) => state.test(code))) return true;
  return SYSTEM_CODES.has(code) && (syscall === undefined || /connect|read|write|getaddrinfo/.test(syscall));
}

/** A statement that somebody ended, or that took longer than one may. */
export const isCanceled = (error: unknown): boolean => (error as { code?: unknown }).code === '57014';

/** Whether the failure is the database being away or overloaded, rather than an error in the statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  if (!(error instanceof Error)) return false;
  if (error instanceof RoleRefused || hasPassingCode(error)) return true;
  if (DRIVER_MESSAGES.test(error.message) || LOST_IN_TRANSACTION.has(error.name)) return true;
  const inner: unknown = error instanceof QueryFailedError ? error.driverError : error.cause;
  return inner instanceof Error && inner !== error && isDatabaseUnavailable(inner);
}
