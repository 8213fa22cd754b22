import { problem } from '../../../common/problem/problem.js';

export class ObserveSessionUnknown extends problem<{ session_id: string }>(
  404,
  'ObserveSessionUnknown',
  'There is no such observed session',
) {}

export class ObserveStepUnknown extends problem<{ node_id: string }>(
  404,
  'ObserveStepUnknown',
  'The session has no such step',
) {}

export class ObserveStepKnown extends problem<{ node_id: string }>(
  409,
  'ObserveStepKnown',
  'The session has another step by this node_id',
) {}

export class ObserveStepClosed extends problem<{ node_id: string; step_status: string }>(
  409,
  'ObserveStepClosed',
  'The step was closed otherwise',
) {}

export class ObserveSessionArchived extends problem<{ session_id: string; archived_at: string }>(
  409,
  'ObserveSessionArchived',
  'The session is archived',
) {}
