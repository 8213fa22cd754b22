import { problem } from '../../../common/problem/problem.js';

export class AnswerUnknown extends problem<{ answer_id: string }>(404, 'AnswerUnknown', 'There is no such answer') {}
export class ShardUnknown extends problem<{ shard_id: string }>(404, 'ShardUnknown', 'This daemon has no such shard') {}
