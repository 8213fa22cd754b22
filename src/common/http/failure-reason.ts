/** Whether a request was given up because its time was over (`AbortSignal.timeout`). */
export const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';

/**
 * Why a request had no answer, in one line: `fetch` says no more than "fetch failed", and has the reason as the cause.
 */
export function failureReason(error: unknown): string {
  const { message, code, cause, errors } = error as NodeJS.ErrnoException & { errors?: unknown[] };
  if (message === 'fetch failed' && cause instanceof Error) return failureReason(cause);
  if (message === '' && errors?.[0] instanceof Error) return failureReason(errors[0]);
  // A DOMException has a number.
  const reason = typeof code === 'string' && !message.includes(code) ? `${code}: ${message}` : message;
  return reason.replaceAll(/\s+/g, ' ').replace(/: $/, '').slice(0, 500) || 'it does not answer';
}
