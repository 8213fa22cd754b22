import { Flag, Integer, ListOf, Text } from '../fields/fields.js';

/** One thing that is wrong with a request. */
export class ProblemIssue {
  @Text({ about: 'The member, such as body.content.' })
  path!: string;
  @Text({ about: 'What is wrong with it, and what it must be.' })
  message!: string;
}

/**
 * The error body of the tenant API: ProblemDetails and ApiError in one (tenant-api.md 2.1; D10). Extra members are
 * allowed.
 */
export class ProblemBody {
  @Text({ about: 'Stable short name of the kind of problem.', example: 'ValidationFailed' })
  type!: string;
  @Text({ about: 'The kind of problem in one line, the same for every occurrence.' })
  title!: string;
  @Integer({ about: 'The HTTP status.' })
  status!: number;
  @Text({ about: 'What happened here, and what to do about it.', optional: true })
  detail?: string;
  @Text({ about: 'The same as detail, or title where there is no detail.' })
  message!: string;
  @Text({ about: 'The x-request-id of this answer.' })
  request_id!: string;
  @Text({
    about: 'The type in UPPER_SNAKE_CASE, for programs that switch on codes.',
    example: 'VALIDATION_FAILED',
  })
  code!: string;
  @Flag({ about: 'Whether the same request, unchanged, may succeed later.' })
  retryable!: boolean;
  @Integer({ about: 'Seconds to wait before the next try; also in the retry-after header.', optional: true })
  retryAfterSec?: number;
  @ListOf({
    about: 'What is wrong with the request, each with the path of the member.',
    type: () => ProblemIssue,
    optional: true,
  })
  issues?: ProblemIssue[];
}
