import { problem } from '../../../common/problem/problem.js';

export class AnswerOfAnotherAgent extends problem<{ answerId: string }>(
  409,
  'AnswerOfAnotherAgent',
  'Another agent of this tenant recorded an answer under this id',
) {}
