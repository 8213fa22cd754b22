import { problem } from '../../../common/problem/problem.js';

export class LayerChanged extends problem<{ version: number }>(
  409,
  'LayerChanged',
  'The layer has changed meanwhile',
) {}

export class LayersFull extends problem<{ limit: number; limit_bytes: number }>(
  409,
  'LayersFull',
  'The project or plane has as many layers as it may have',
) {}
