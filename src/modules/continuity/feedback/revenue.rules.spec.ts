import { describe, expect, it } from 'vitest';
import { verdictsFrom } from './revenue.rules.js';
import { DECLARATION_STATES, VERDICTS, type DeclarationState } from './revenue.types.js';

describe('the review of a declaration', () => {
  it('may decide what is pending, or ask for more once', () => {
    expect(verdictsFrom('pending')).toEqual(['accepted', 'rejected', 'needs_info']);
    expect(verdictsFrom('needs_info')).toEqual(['accepted', 'rejected']);
  });

  it.each<DeclarationState>(['accepted', 'rejected'])('lets %s stand', (state) => {
    expect(verdictsFrom(state)).toEqual([]);
  });

  it('ends on every way after two verdicts at most', () => {
    const ways = (state: DeclarationState): number => Math.max(0, ...verdictsFrom(state).map((to) => 1 + ways(to)));
    expect(DECLARATION_STATES.map((state) => [state, ways(state)])).toEqual([
      ['pending', 2],
      ['needs_info', 1],
      ['accepted', 0],
      ['rejected', 0],
    ]);
  });

  it('can come to every verdict there is', () => {
    const used = new Set(DECLARATION_STATES.flatMap((state) => verdictsFrom(state)));
    expect([...used].sort()).toEqual([...VERDICTS].sort());
  });
});
