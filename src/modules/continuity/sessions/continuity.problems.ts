import { problem } from '../../../common/problem/problem.js';

export class PrimitiveConflict extends problem<{
  kind: string;
  name: string;
  expectedVersion: number;
  actualVersion: number;
  retired: boolean;
}>(409, 'PrimitiveConflict', 'The primitive is not at the version that was expected') {}
