import { problem } from '../../../common/problem/problem.js';

export class CommandKnown extends problem<{ command_id: string; seq: number }>(
  409,
  'CommandKnown',
  'The command id is in use',
) {}
