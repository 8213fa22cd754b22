import { problem } from '../../../common/problem/problem.js';

export class ErasureNotFound extends problem(404, 'ErasureNotFound', 'There is no such erasure') {}

/** The list of erasures cannot be written, so a restore would bring back what went. */
export class ErasureListUnwritable extends problem(
  503,
  'ErasureListUnwritable',
  'The list of erasures cannot be written',
) {}
