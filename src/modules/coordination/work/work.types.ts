export const WORK_STATES = ['backlog', 'ready', 'in_progress', 'blocked', 'in_review', 'done', 'cancelled'] as const;
export type WorkState = (typeof WORK_STATES)[number];

export const BLOCK_KINDS = ['needs_info', 'needs_approval'] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];

export const WORK_SOURCES = ['kanban', 'plans', 'both'] as const;
export type WorkSource = (typeof WORK_SOURCES)[number];
