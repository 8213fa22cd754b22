import { problem } from '../../../common/problem/problem.js';

/** The endpoint refused, or answered something else; what may pass is answered 503. */
export class EmbeddingsRefused extends problem(502, 'EmbeddingsRefused', 'Bad Gateway') {}
