import { Catch, Inject } from '@nestjs/common';
import { LOG, type Log } from '../../../common/observability/log.js';
import type { Problem } from '../../../common/problem/problem.js';
import { ProblemFilter } from '../../../common/problem/problem.filter.js';
import type { ProblemWriter } from '../../../common/problem/send-problem.js';
import { ERROR_SCHEMA, SCIM_JSON } from './scim-schemas.js';

/** The error body of RFC 7644, 3.12: the status is text. */
const SCIM_ERRORS: ProblemWriter = {
  contentType: SCIM_JSON,
  bodyOf: ({ kind, message, facts }: Problem) => ({
    schemas: [ERROR_SCHEMA],
    status: String(kind.status),
    ...(typeof facts['scimType'] === 'string' ? { scimType: facts['scimType'] } : {}),
    detail: message || kind.title,
  }),
};

/** Failures of the routes below /scim/v2, as clients of SCIM read them. */
@Catch()
export class ScimFilter extends ProblemFilter {
  protected override readonly form = SCIM_ERRORS;

  constructor(@Inject(LOG) log: Log) {
    super(log);
  }
}
