import { problem } from '../../../common/problem/problem.js';

/** The tenant API did not answer, or nothing says where it is. */
export class ApiUnavailable extends problem<{ upstream: 'api' }>(
  502,
  'ApiUnavailable',
  'The tenant API did not answer',
  true,
) {}
