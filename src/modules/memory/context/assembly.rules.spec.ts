import { describe, expect, it } from 'vitest';
import { assemble } from './assembly.rules.js';
import type { ContextKind, CountedCandidate } from './context.types.js';

const item = (kind: ContextKind, id: string, score: number, tokens: number, text = `${kind} ${id}`) =>
  ({ kind, id, hash: id, text, score, tokens, why: '' }) satisfies CountedCandidate;
const idsOf = (items: readonly CountedCandidate[]) => items.map(({ id }) => id);

describe('an assembly', () => {
  it('holds whole items within its budget, and says what it left out and why', () => {
    const { items, omitted, tokens } = assemble([item('facts', 'a', 2, 60), item('facts', 'b', 1, 60)], 100);
    expect([idsOf(items), tokens]).toEqual([['a'], 60]);
    expect(omitted).toEqual([{ kind: 'facts', id: 'b', tokens: 60, reason: 'budget', detail: expect.any(String) }]);
  });

  it('goes on with smaller items where the next one is too large', () => {
    const { items } = assemble([item('facts', 'large', 9, 500), item('facts', 'small', 1, 10)], 100);
    expect(idsOf(items)).toEqual(['small']);
  });

  it('prefers worth by token', () => {
    const found = [item('facts', 'long', 10, 400), item('facts', 'short', 8, 20)];
    expect(idsOf(assemble(found, 1000).items)).toEqual(['short', 'long']);
  });

  it('compares kinds by the best of each, so that none crowds out the others', () => {
    const facts = Array.from({ length: 50 }, (_, i) => item('facts', `f${i}`, 1000 - i, 40));
    const { items } = assemble([...facts, item('cases', 'c', 0.1, 40), item('passages', 'p', 3, 40)], 400);
    expect(idsOf(items)).toEqual(expect.arrayContaining(['c', 'p', 'f0']));
  });

  it('is the same in whatever order the items come', () => {
    const found = Array.from({ length: 30 }, (_, i) => item(i % 2 ? 'facts' : 'passages', `${i}`, i % 5, 10 + (i % 3)));
    expect(assemble([...found].reverse(), 200)).toEqual(assemble(found, 200));
  });

  it('says the same text once', () => {
    const { items, omitted } = assemble([item('passages', 'p', 9, 5, 'same '), item('facts', 'f', 1, 5, 'same')], 100);
    expect(idsOf(items)).toEqual(['f']);
    expect(omitted).toMatchObject([{ kind: 'passages', id: 'p', reason: 'duplicate' }]);
  });

  it('is empty without items, and where none fits', () => {
    expect(assemble([], 100)).toEqual({ items: [], omitted: [], tokens: 0 });
    expect(assemble([item('facts', 'a', 1, 101)], 100).omitted[0]!.detail).toContain('larger than the whole budget');
  });
});
