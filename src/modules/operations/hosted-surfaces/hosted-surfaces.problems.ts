import { problem } from '../../../common/problem/problem.js';

/** The endpoint refused, or gave no answer of use. */
export class GpuFailed extends problem<{ endpoint_status: number | null }>(502, 'GpuFailed', 'Bad Gateway') {}
