import type { OrchestratorState } from './orchestrators.types.js';

/** What an orchestrator may become, from each of its states. An archived one stays so. */
export const MOVES: Readonly<Record<OrchestratorState, readonly OrchestratorState[]>> = {
  active: ['paused', 'done', 'archived'],
  paused: ['active', 'done', 'archived'],
  done: ['active', 'archived'],
  archived: [],
};

/** Staying is no move, and always allowed. */
export const mayMove = (from: OrchestratorState, to: OrchestratorState): boolean =>
  from === to || MOVES[from].includes(to);
