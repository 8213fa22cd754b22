import { problem } from '../../../common/problem/problem.js';
import type { MemberType } from './orchestrators.types.js';

export class OrchestratorUnknown extends problem<{ orchestrator_id: string }>(
  404,
  'OrchestratorUnknown',
  'There is no such orchestrator',
) {}

export class OrchestratorMemberUnknown extends problem<{ orchestrator_id: string; ref: string }>(
  404,
  'OrchestratorMemberUnknown',
  'The orchestrator has no such member',
) {}

export class OrchestratorChanged extends problem<{ version: number }>(
  409,
  'OrchestratorChanged',
  'The orchestrator has changed meanwhile',
) {}

export class OrchestratorArchived extends problem<{ orchestrator_id: string }>(
  409,
  'OrchestratorArchived',
  'An archived orchestrator is not changed any more',
) {}

export class OrchestratorCycle extends problem<{ orchestrator_id: string; ref: string }>(
  409,
  'OrchestratorCycle',
  'An orchestrator cannot be below itself',
) {}

export class OrchestratorFull extends problem<{ limit: number }>(
  409,
  'OrchestratorFull',
  'The orchestrator has as many members as it may have',
) {}

export class OrchestratorMemberKnown extends problem<{ ref: string; member_type: MemberType }>(
  409,
  'OrchestratorMemberKnown',
  'The orchestrator has a member of another type by this ref',
) {}
