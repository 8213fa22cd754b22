import { QueryFailedError } from 'typeorm';

/** SQLSTATE classes and codes after which the same work may succeed: PostgreSQL 18, appendix A. */
const RETRYABLE_STATES = [/^08/, /^57P0[1-5]$/, /^53300$/, /^57014$/, /^55P03$/, /^40001$/, /^40P01$/, /^25P0[34]$/];
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
/** TypeORM lets go of a connection that breaks inside a transaction; the next statement finds it gone. */
const LOST_IN_TRANSACTION = new Set([
  'QueryRunnerAlreadyReleasedError',
  'QueryRunnerProviderAlreadyReleasedError',
  'TransactionNotStartedError',
]);
const DRIVER_MESSAGES =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|not queryable|driver not connected|connection is not established/i;

/** Whether the failure is the database being away or overloaded, rather than a fault of the statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code && /^[0-9A-Z]{5}$/.test(code) && RETRYABLE_STATES.some((state) => state.test(code))) return true;
  if (code && SYSTEM_CODES.has(code) && (syscall === undefined || /connect|read|write|getaddrinfo/.test(syscall)))
    return true;
  if (DRIVER_MESSAGES.test(error.message) || LOST_IN_TRANSACTION.has(error.name)) return true;
  const inner: unknown = error instanceof QueryFailedError ? error.driverError : error.cause;
  return inner instanceof Error && inner !== error && isDatabaseUnavailable(inner);
}
