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

/** The members of `wanted` that differ from what there is. */
export function changesOf<T extends object>(current: T, wanted: Partial<T>): Partial<T> {
  const differing = Object.entries(wanted).filter(
    ([name, value]) => value !== undefined && value !== current[name as keyof T],
  );
  return Object.fromEntries(differing) as Partial<T>;
}
