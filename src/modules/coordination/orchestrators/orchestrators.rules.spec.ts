import { describe, expect, it } from 'vitest';
import { mayMove, MOVES } from './orchestrators.rules.js';
import { ORCHESTRATOR_STATES } from './orchestrators.types.js';

describe('the moves of an orchestrator', () => {
  it('are those of the table, and staying', () => {
    const allowed = ORCHESTRATOR_STATES.flatMap((from) =>
      ORCHESTRATOR_STATES.filter((to) => mayMove(from, to)).map((to) => `${from} > ${to}`),
    );
    expect(allowed).toEqual([
      ...['active > active', 'active > paused', 'active > done', 'active > archived'],
      ...['paused > active', 'paused > paused', 'paused > done', 'paused > archived'],
      ...['done > active', 'done > done', 'done > archived'],
      'archived > archived',
    ]);
  });

  it('lead from every state but archived to archived', () => {
    expect(ORCHESTRATOR_STATES.filter((from) => !MOVES[from].includes('archived'))).toEqual(['archived']);
  });
});
