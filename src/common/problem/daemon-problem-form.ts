import { PayloadTooLarge, RequestTimeout } from './common-problems.js';
import { InternalError } from './problem.filter.js';
import type { Problem, ProblemClass } from './problem.js';
import type { ProblemWriter } from './send-problem.js';

export const PROBLEM_JSON = 'application/problem+json';

/** Common kinds of problem that memory-daemon.md 7 gives a slug or a title of its own. */
const RENAMED = new Map<ProblemClass, { slug?: string; title: string }>([
  [PayloadTooLarge, { title: 'Payload Too Large' }],
  [RequestTimeout, { title: 'Request Timeout' }],
  [InternalError, { slug: 'internal', title: 'Internal Server Error' }],
]);

/**
 * The last part of a problem's type: `payload-too-large`. A type that is no CamelCase name is its own slug:
 * `bundle_too_large`.
 */
function slugOf(kind: ProblemClass): string {
  return RENAMED.get(kind)?.slug ?? (isName(kind.type) ? dashed(kind.type).toLowerCase() : kind.type);
}

/** The `code` of a problem, also where it is one of several results of a request. */
export const daemonCodeOf = (kind: ProblemClass): string =>
  isName(kind.type) ? slugOf(kind).replaceAll('-', '_').toUpperCase() : kind.type;
const isName = (type: string): boolean => /^[A-Z]/.test(type);
const dashed = (name: string): string => name.replace(/(?<=[a-z\d])(?=[A-Z])/g, '-');

/**
 * Problems as the daemon writes them (RFC 9457; memory-daemon.md 2.1 and 7): extension members stand at the top level.
 * @param errorsBase what every `type` begins with
 */
export const daemonProblems = (errorsBase: string): ProblemWriter => ({
  contentType: PROBLEM_JSON,
  bodyOf: (found: Problem, requestId: string) => {
    const { kind, message, facts } = found;
    return {
      type: typeOf(errorsBase, kind),
      title: RENAMED.get(kind)?.title ?? kind.title,
      status: kind.status,
      detail: message || undefined,
      instance: `urn:svc:request:${requestId}`,
      code: daemonCodeOf(kind),
      request_id: requestId,
      retryable: found.retryable,
      ...facts,
    };
  },
});

export const typeOf = (errorsBase: string, kind: ProblemClass): string => `${errorsBase}/${slugOf(kind)}`;
