export const ORCHESTRATOR_STATES = ['active', 'paused', 'done', 'archived'] as const;
export type OrchestratorState = (typeof ORCHESTRATOR_STATES)[number];

export const MEMBER_TYPES = ['passport', 'work', 'orchestrator'] as const;
export type MemberType = (typeof MEMBER_TYPES)[number];
