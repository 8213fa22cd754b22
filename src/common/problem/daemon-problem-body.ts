import { Documented, Flag, Integer, ListOf, Text, TextList } from '../fields/fields.js';
import { ProblemIssue } from './problem-body.js';

/** Every failure of the daemon (RFC 9457; memory-daemon.md 2.1 and 7). */
export class DaemonProblem {
  @Documented({
    about: 'The kind of problem: `{SVCD_ERRORS_BASE}/<slug>`.',
    schema: { type: 'string', format: 'uri' },
  })
  type!: string;
  @Text({ about: 'The kind of problem in one line, the same for every occurrence.' })
  title!: string;
  @Integer({ about: 'The HTTP status.' })
  status!: number;
  @Text({ about: 'What happened here, and what to do about it.', optional: true })
  detail?: string;
  @Text({ about: 'This occurrence: the request it happened to.', optional: true })
  instance?: string;
  @Text({ about: 'For programs that switch on codes.', example: 'MISSING_SCOPE', optional: true })
  code?: string;
  @Text({ about: 'The x-request-id of this answer.', optional: true })
  request_id?: string;
  @Flag({ about: 'Whether the same request, unchanged, may succeed later.', optional: true })
  retryable?: boolean;
  @TextList({ about: 'Scopes of an all-of check that are missing.', optional: true })
  missingScopes?: string[];
  @TextList({ about: 'Scopes any of which would have sufficed.', optional: true })
  missingAnyScope?: string[];
  @Text({ about: 'What to send instead.', optional: true })
  hint?: string;
  @ListOf({
    about: 'What is wrong with the request, each with the path of the member.',
    type: () => ProblemIssue,
    optional: true,
  })
  issues?: ProblemIssue[];
}
