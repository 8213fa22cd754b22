import { problem } from '../../../common/problem/problem.js';

export class PassageUnknown extends problem<{ chunkId: string }>(404, 'PassageUnknown', 'There is no such passage') {}
